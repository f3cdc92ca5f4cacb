import { useQuery } from '@tanstack/react-query'
import type { Run } from '@touchstone/contract'
import { useEffect, useRef, useState } from 'react'
import { saveFile } from '#lib/browser.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { toast } from '#ui/toast.tsx'
import { traceQuery } from '../queries.ts'
import { readTraceRuns } from './queries.ts'
import { printTraceMarkdown } from './trace-markdown.ts'

type Format = 'json' | 'markdown'

const DESCRIPTIONS: Record<Format, string> = {
  json: 'All runs with inputs, outputs and metadata, exactly as stored.',
  markdown: 'A readable document with one section per run and formatted conversations.',
}

/** Downloads a whole trace as a file. */
export function ExportTraceDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const [format, setFormat] = useState<Format>('json')
  const [state, setState] = useState<{ done?: number; error?: unknown }>({})
  const tree = useQuery(traceQuery.tree(run.trace_id))
  const leaving = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    leaving.current = controller
    return () => controller.abort()
  }, [])
  const total = tree.data?.total
  const isBusy = state.done !== undefined

  async function save() {
    const { signal } = leaving.current
    const pages: string[] = []
    let count = 0
    setState({ done: 0 })
    try {
      for await (const page of readTraceRuns(run.trace_id, run.session_id, signal)) {
        pages.push(page.text)
        count += page.count
        setState({ done: count })
      }
      if (format === 'json')
        saveFile(`trace-${run.trace_id}.json`, 'application/json', toJsonChunks(run.trace_id, pages))
      else {
        const runs = pages.flatMap((page) => JSON.parse(`[${page}]`) as Run[])
        saveFile(`trace-${run.trace_id}.md`, 'text/markdown', [printTraceMarkdown(runs)])
      }
      toast.done(`${pluralize(count, 'run')} exported`)
      onClose()
    } catch (error) {
      if (!signal.aborted) setState({ error })
    }
  }

  return (
    <FormDialog
      title="Export trace"
      action={total === undefined ? 'Export' : `Export ${pluralize(total, 'run')}`}
      isPending={isBusy}
      error={state.error}
      errorTitle="Could not export the trace"
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <div>
        <Segmented
          label="Format"
          value={format}
          onChange={setFormat}
          options={[
            { value: 'json', label: 'JSON' },
            { value: 'markdown', label: 'Markdown' },
          ]}
        />
      </div>
      <p className="text-base text-fg-muted">{DESCRIPTIONS[format]}</p>
      {isBusy && (
        <p role="status" className="text-row tabular-nums text-fg-muted">
          {formatCount(state.done)}
          {total !== undefined && ` of ${formatCount(total)}`} runs loaded
        </p>
      )}
    </FormDialog>
  )
}

function toJsonChunks(traceId: string, pages: readonly string[]): string[] {
  const runs = pages.flatMap((page, index) => (index === 0 ? [page] : [',\n', page]))
  return [`{"trace_id":"${traceId}","exported_at":"${new Date().toISOString()}","runs":[\n`, ...runs, '\n]}\n']
}

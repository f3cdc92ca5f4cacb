import { useQuery } from '@tanstack/react-query'
import { Settings2 } from 'lucide-react'
import { useState } from 'react'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { Dialog } from '#ui/dialog.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { ErrorState } from '#ui/states.tsx'
import type { Comparison } from '../comparison.ts'
import { type ConfigChange, diffConfigs, summarizeChanges } from '../logic/config-diff.ts'

interface ConfigDiffProps {
  comparison: Comparison
  /** Index of the experiment. */
  experiment: number
}

/** What differs from the configuration of the baseline, in one line; a click shows everything. */
export function ConfigDiff({ comparison, experiment }: ConfigDiffProps) {
  const { cells, projects, baseline } = comparison
  const [isOpen, setOpen] = useState(false)
  const [base, other] = [cells.experiments[baseline], cells.experiments[experiment]]
  if (base === undefined || other === undefined || !projects.has(base.id) || !projects.has(other.id)) return null
  const changes = diffConfigs(readMetadata(comparison, base.id), readMetadata(comparison, other.id))
  if (changes.length === 0) return <p className="text-meta text-fg-subtle">Same metadata as the baseline</p>
  const summary = summarizeChanges(changes)
  return (
    <>
      <button
        type="button"
        title={`${summary}\nShow all differences to the configuration of the baseline`}
        onClick={() => setOpen(true)}
        className="flex min-w-0 items-center gap-1 rounded-control text-left text-meta text-fg-muted hover:text-fg hover:underline"
      >
        <Settings2 size={12} aria-hidden className="shrink-0" />
        <span className="sr-only">Configuration: </span>
        <span className="truncate">{summary}</span>
      </button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        width="max-w-2xl"
        title="Configuration"
        description={`${base.name} → ${other.name}`}
      >
        <ul className="flex flex-col gap-3">
          {changes.map((change) => (
            <li key={change.key} className="min-w-0">
              <h3 className="break-words font-mono text-row font-medium">{change.key}</h3>
              <Change change={change} />
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  )
}

function readMetadata({ projects }: Comparison, id: string): Record<string, unknown> {
  const metadata: unknown = projects.get(id)?.extra?.metadata
  return typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {}
}

const SHORT = 80

function Change({ change }: { change: ConfigChange }) {
  const { before, after } = change
  if (before !== undefined && after !== undefined && Math.max(before.length, after.length) > SHORT) {
    return <LongChange before={before} after={after} />
  }
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 break-words text-row">
      {before === undefined ? (
        <span className="text-fg-subtle">none</span>
      ) : (
        <del className="min-w-0 break-words bg-del-bg px-1 no-underline">{before}</del>
      )}
      <span aria-hidden>→</span>
      {after === undefined ? (
        <span className="text-fg-subtle">none</span>
      ) : (
        <ins className="min-w-0 break-words bg-add-bg px-1 no-underline">{after}</ins>
      )}
    </p>
  )
}

/** Long texts, as prompts are, by words. */
function LongChange({ before, after }: { before: string; after: string }) {
  const diff = useQuery({
    queryKey: ['config-diff', before, after],
    queryFn: ({ signal }) => askDiff({ kind: 'text', a: before, b: after }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  if (diff.isError) {
    return <ErrorState compact title="Could not compare" error={diff.error} onRetry={() => void diff.refetch()} />
  }
  return <div className="rounded-card border border-border">{diff.data && <DiffView diff={diff.data} />}</div>
}

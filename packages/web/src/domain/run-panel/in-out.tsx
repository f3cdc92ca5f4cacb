import { Download } from 'lucide-react'
import { useMemo } from 'react'
import type { RunDocument } from '#data/traces.ts'
import { JsonView } from '#domain/json-view/json-view.tsx'
import { saveFile } from '#lib/save-file.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { rootsOf } from './roots-of.ts'

interface InOutProps {
  document: RunDocument
  path: string | undefined
  onPath: (path: string) => void
  onRendered?: () => void
}

/** Inputs and outputs, as they are stored. */
export function InOut({ document, path, onPath, onRendered }: InOutProps) {
  const roots = useMemo(() => rootsOf(document.json, ['inputs', 'outputs', 'error']), [document.json])
  if (roots.length === 0) return <EmptyState title="No inputs and no outputs">This run recorded neither.</EmptyState>
  return (
    <JsonView
      host={document.json}
      label="inputs and outputs"
      roots={roots}
      path={path}
      onPath={onPath}
      tools={
        onRendered && (
          <button
            type="button"
            onClick={onRendered}
            className="whitespace-nowrap text-meta text-fg-muted hover:text-fg hover:underline"
          >
            Show rendered
          </button>
        )
      }
    />
  )
}

export function DownloadRun({ document: { run, json } }: { document: RunDocument }) {
  async function download() {
    const text = await json.call('text', 0, json.bytes)
    saveFile(`run-${run.id}.json`, 'application/json', [text])
  }
  return <IconButton icon={Download} label="Download the stored JSON" onClick={() => void download()} />
}

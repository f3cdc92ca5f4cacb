import { CircleCheck, CircleX } from 'lucide-react'
import { formatCount, pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import type { ImportController, ImportState } from './import-controller.ts'

/** Progress of an import, and its result with Undo. */
export function SendStep({ state, controller }: { state: ImportState; controller: ImportController }) {
  const { sending, sent, report } = state
  const total = sent + (report?.good ?? 0)
  const isRunning = sending === 'running' || sending === 'canceling'
  const mayUndo = sending === 'done' || sending === 'canceled' || sending === 'failed'
  return (
    <div className="flex flex-col items-center gap-3 py-8 text-center">
      {sending === 'done' && <CircleCheck size={24} className="text-ok" aria-hidden />}
      {sending === 'failed' && <CircleX size={24} className="text-err" aria-hidden />}
      <p role="status" className="text-heading">
        {describe(state, total)}
      </p>
      {isRunning && (
        <div
          role="progressbar"
          aria-label="Import"
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={sent}
          className="h-1.5 w-full max-w-md overflow-hidden rounded-full bg-sunken"
        >
          <div className="h-full bg-accent" style={{ width: `${(100 * sent) / Math.max(total, 1)}%` }} />
        </div>
      )}
      {sending !== 'undone' && report !== undefined && report.bad > 0 && (
        <p className="text-row text-fg-muted">{pluralize(report.bad, 'row was', 'rows were')} skipped.</p>
      )}
      <div className="flex flex-wrap justify-center gap-2">
        {sending === 'failed' && (
          <Button look="primary" onClick={() => void controller.resume()}>
            Continue the import
          </Button>
        )}
        {(sending === 'done' || sending === 'canceled') && report !== undefined && report.bad > 0 && (
          <Button onClick={() => controller.goTo('check')}>Show skipped rows</Button>
        )}
        {mayUndo && <Button onClick={() => void controller.undo()}>Undo import</Button>}
      </div>
    </div>
  )
}

function describe({ sending, sent }: ImportState, total: number): string {
  const count = pluralize(sent, 'example')
  switch (sending) {
    case 'done':
      return `${count} imported`
    case 'canceled':
      return `Canceled: ${count} of ${formatCount(total)} imported`
    case 'failed':
      return `${count} of ${formatCount(total)} imported`
    case 'undoing':
      return 'Removing the imported examples…'
    case 'undone':
      return 'The imported examples were removed'
    default:
      return `${formatCount(sent)} of ${pluralize(total, 'example')} imported…`
  }
}

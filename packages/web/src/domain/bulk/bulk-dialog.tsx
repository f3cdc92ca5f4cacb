import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { BulkAction, BulkCount } from '@touchstone/sdk'
import { type FormEvent, type ReactNode, useState } from 'react'
import { type BulkRequest, type BulkRuns, bulkQuery, startBulk } from '#data/bulk-jobs.ts'
import { StatusMark } from '#domain/status-mark.tsx'
import { formatAbsoluteTime, formatCount } from '#lib/format/format.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'

export interface BulkDialogProps {
  action: BulkAction
  runs: BulkRuns
  title: string
  /** Verb on the button, before the count: `Export`. */
  verb: string
  /** Counts traces instead of runs. */
  takesTraces?: boolean
  /** The job to start; undefined while a required field is empty. */
  wish: BulkRequest | undefined
  /** Fields and explanation of this action. */
  children: ReactNode
  onStarted: () => void
  onClose: () => void
}

/** Confirms a bulk action: shows how many runs the server counts, a sample of them, and the fields of the action. */
export function BulkDialog({
  action,
  runs,
  title,
  verb,
  takesTraces,
  wish,
  children,
  onStarted,
  onClose,
}: BulkDialogProps) {
  const queryClient = useQueryClient()
  const counted = useQuery(bulkQuery.count(action, runs))
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })
  const total = takesTraces ? counted.data?.traces : counted.data?.runs
  const noun = takesTraces ? 'trace' : 'run'
  const mayGo = !state.busy && wish !== undefined && total !== undefined && total > 0

  async function go(event: FormEvent) {
    event.preventDefault()
    if (!mayGo || counted.data === undefined) return
    setState({ busy: true })
    try {
      await startBulk(queryClient, runs, wish, counted.data)
      onStarted()
      onClose()
    } catch (error) {
      setState({ busy: false, error })
      void counted.refetch() // the number may have changed
    }
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      width="max-w-xl"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={action === 'delete' ? 'danger' : 'primary'} type="submit" form="bulk" disabled={!mayGo}>
            {verb} {total === undefined ? '…' : `${formatCount(total)} ${noun}${total === 1 ? '' : 's'}`}
          </Button>
        </>
      }
    >
      <form id="bulk" onSubmit={go} className="flex flex-col gap-3">
        {state.error !== undefined && <ErrorState compact title="Could not start the job" error={state.error} />}
        {counted.isError && <ErrorState compact title="Could not count the runs" error={counted.error} />}
        {children}
        <BulkSample counted={counted.data} />
      </form>
    </Dialog>
  )
}

/** The latest of the counted runs, so that users can check the selection. */
function BulkSample({ counted }: { counted: BulkCount | undefined }) {
  if (counted === undefined) {
    return <p className="text-row text-fg-muted">Counting runs…</p>
  }
  const { runs, sample } = counted
  if (runs === 0) return <p className="text-row text-fg-muted">No runs match right now.</p>
  return (
    <section aria-label="Sample" className="flex flex-col gap-1">
      <p className="text-row text-fg-muted">
        {sample.length < runs ? `Latest ${sample.length} of ${formatCount(runs)}:` : 'All selected runs:'}
      </p>
      <ul className="divide-y divide-border overflow-hidden rounded-card border border-border">
        {sample.map((run) => (
          <li key={run.id} className="flex items-baseline gap-2 px-2 py-1 text-row">
            <StatusMark status={run.status} start_time={run.start_time} />
            <span className="max-w-[30%] shrink-0 truncate font-medium">{run.name}</span>
            <span className="min-w-0 flex-1 truncate text-fg-muted">{run.inputs_preview}</span>
            <time dateTime={run.start_time} className="shrink-0 text-meta text-fg-muted tabular-nums">
              {formatAbsoluteTime(run.start_time)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  )
}

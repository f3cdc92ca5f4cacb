import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { BulkAction, BulkCount } from '@touchstone/sdk'
import type { ReactNode } from 'react'
import { type BulkRequest, type BulkRuns, bulkQuery, startBulk } from '#data/bulk-jobs.ts'
import { StatusMark } from '#domain/status-mark.tsx'
import { formatAbsoluteTime, formatCount } from '#lib/format/format.ts'
import { ErrorState } from '#ui/error-state.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'

export interface BulkDialogProps {
  action: BulkAction
  runs: BulkRuns
  title: string
  /** Verb on the button, before the count: `Export`. */
  verb: string
  /** Counts traces instead of runs. */
  takesTraces?: boolean
  /** The job to start; undefined while a required field is empty. */
  request: BulkRequest | undefined
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
  request,
  children,
  onStarted,
  onClose,
}: BulkDialogProps) {
  const queryClient = useQueryClient()
  const counted = useQuery(bulkQuery.count(action, runs))
  const start = useMutation({
    mutationFn: (job: { request: BulkRequest; counted: BulkCount }) =>
      startBulk(queryClient, runs, job.request, job.counted),
    onSuccess: () => {
      onStarted()
      onClose()
    },
    onError: () => void counted.refetch(), // the number may have changed
  })
  const total = takesTraces ? counted.data?.traces : counted.data?.runs
  const noun = takesTraces ? 'trace' : 'run'
  const { data } = counted
  return (
    <FormDialog
      title={title}
      width="max-w-xl"
      action={`${verb} ${total === undefined ? '…' : `${formatCount(total)} ${noun}${total === 1 ? '' : 's'}`}`}
      look={action === 'delete' ? 'danger' : 'primary'}
      errorTitle="Could not start the job"
      canSubmit={request !== undefined && total !== undefined && total > 0}
      isPending={start.isPending}
      error={start.error}
      onSubmit={() => request && data && start.mutate({ request, counted: data })}
      onClose={onClose}
    >
      {counted.isError && <ErrorState compact title="Could not count the runs" error={counted.error} />}
      {children}
      <BulkSample counted={data} />
    </FormDialog>
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

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { BulkJob } from '@touchstone/sdk'
import { useState } from 'react'
import { formatBytes, formatCount, formatRelativeTime, pluralize, spellCost } from '#lib/format.ts'
import { Progress } from '#ui/progress.tsx'
import { toast } from '#ui/toast.tsx'
import { bulkQuery, cancelJob, isActiveJob, undoJob } from './queries.ts'

/** A job with its progress, its failures and its actions. */
export function JobRow({ job }: { job: BulkJob }) {
  const queryClient = useQueryClient()
  const [showsFailures, setShowsFailures] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const act = (work: typeof cancelJob, failure: string) => async () => {
    setBusy(true)
    await work(queryClient, job.id).catch((cause) => toast.failure(failure, cause))
    setBusy(false)
  }
  const isOpen = isActiveJob(job)
  return (
    <li className="flex flex-col gap-1 px-3 py-2 text-row">
      <div className="flex items-baseline gap-2">
        <span className="font-medium">{describeJob(job)}</span>
        <span className="text-fg-muted">{describeProgress(job)}</span>
        <time dateTime={job.created_at} className="ml-auto shrink-0 text-meta text-fg-muted">
          {formatRelativeTime(job.created_at)}
        </time>
      </div>
      {isOpen && <Progress label={describeJob(job)} value={job.done} max={job.total} className="h-1 w-full" />}
      {job.error !== null && <p className="break-words text-err">{job.error}</p>}
      <div className="flex flex-wrap gap-x-3 gap-y-1">
        {isOpen && (
          <button type="button" disabled={isBusy} className={LINK} onClick={act(cancelJob, 'Could not stop the job')}>
            Stop
          </button>
        )}
        <TargetLink job={job} />
        {job.download_url !== null && (
          <a href={job.download_url} download className={LINK}>
            Download{job.bytes === null ? '' : ` (${formatBytes(job.bytes)})`}
          </a>
        )}
        {job.can_undo && (
          <button type="button" disabled={isBusy} className={LINK} onClick={act(undoJob, 'Could not undo the job')}>
            Undo
          </button>
        )}
        {job.failed > 0 && (
          <button
            type="button"
            aria-expanded={showsFailures}
            className={`${LINK} text-err`}
            onClick={() => setShowsFailures(!showsFailures)}
          >
            {formatCount(job.failed)} failed
          </button>
        )}
      </div>
      {showsFailures && <Failures job={job} />}
    </li>
  )
}

/** Leads to what the job has filled. */
function TargetLink({ job: { action, dataset_id: datasetId, queue_id: queueId } }: { job: BulkJob }) {
  const { tenant } = useParams({ strict: false })
  if (tenant === undefined || action === 'undo') return null
  if (datasetId !== null) {
    return (
      <Link to="/o/$tenant/datasets/$datasetId" params={{ tenant, datasetId }} className={LINK}>
        Open dataset
      </Link>
    )
  }
  if (queueId === null) return null
  return (
    <Link to="/o/$tenant/annotation-queues/$queueId" params={{ tenant, queueId }} className={LINK}>
      Open queue
    </Link>
  )
}

function Failures({ job }: { job: BulkJob }) {
  const { data } = useQuery(bulkQuery.job(job.id))
  if (data === undefined) return null
  const hidden = job.failed - data.failures.length
  return (
    <ul className="flex flex-col gap-1 rounded-control bg-sunken p-2">
      {data.failures.map(({ item_id, message }) => (
        <li key={item_id} className="min-w-0 break-words">
          <span className="font-mono text-meta">{item_id}</span> {message}
        </li>
      ))}
      {hidden > 0 && <li className="text-fg-muted">and {formatCount(hidden)} more</li>}
    </ul>
  )
}

function describeProgress(job: BulkJob): string {
  const { status, done, failed, total, costs } = job
  const progress = `${formatCount(done - failed)} of ${formatCount(total)}`
  if (costs !== null && !isActiveJob(job) && costs.changed > 0) {
    const changed = `${pluralize(costs.changed, 'run')} changed, ${spellCost(costs.before)} → ${spellCost(costs.after)}`
    return status === 'done' ? changed : `${status === 'failed' ? 'stopped' : 'cancelled'}: ${changed}`
  }
  if (status === 'waiting') return 'waiting'
  if (status === 'running') return progress
  if (status === 'done') return failed === 0 ? `${formatCount(done)} done` : `${progress} done`
  return `${status === 'failed' ? 'stopped' : 'cancelled'} after ${progress}`
}

const LINK = 'text-accent hover:underline disabled:opacity-50'

const ACTION_NAMES: Record<BulkJob['action'], string> = {
  add_to_dataset: 'Add to dataset',
  add_to_queue: 'Add to queue',
  delete: 'Delete traces',
  export: 'Export',
  undo: 'Undo added examples',
  reprice: 'Price runs again',
  restore_costs: 'Restore costs',
}

/** Name of a job in two or three words. */
export function describeJob({ action, format }: BulkJob): string {
  return action === 'export' && format !== null ? `Export ${format.toUpperCase()}` : ACTION_NAMES[action]
}

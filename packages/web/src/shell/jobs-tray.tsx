import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { BulkJob } from '@touchstone/sdk'
import { LoaderCircle } from 'lucide-react'
import { Suspense, useEffect } from 'react'
import { describeJob, JobRow } from '#features/bulk-jobs/job-row.tsx'
import {
  bulkQuery,
  invalidateAfterJob,
  isActiveJob,
  undoJob,
  unwatchJob,
  watchedJobs,
  watchJob,
} from '#features/bulk-jobs/queries.ts'
import { formatCount } from '#lib/format.ts'
import { useStore } from '#lib/store.ts'
import { idlePage } from '#ui/first-page.ts'
import { lazyExtra } from '#ui/lazy.tsx'
import { Popover } from '#ui/popover.tsx'
import { toast } from '#ui/toast.tsx'

const RejectedBanner = lazyExtra(() =>
  import('#features/ingest/rejected-banner.tsx').then((module) => module.RejectedBanner),
)

/** What is read after everything that the first page shows: bulk jobs, and rejected runs of the project. */
export function JobsTray() {
  const { tenant, projectId } = useParams({ strict: false })
  const isIdle = useStore(idlePage)
  return (
    <>
      {isIdle && tenant !== undefined && projectId !== undefined && (
        <Suspense>
          <RejectedBanner key={projectId} tenant={tenant} projectId={projectId} />
        </Suspense>
      )}
      <Jobs />
    </>
  )
}

/** Running and recent bulk jobs, in the status bar. */
function Jobs() {
  const queryClient = useQueryClient()
  const isIdle = useStore(idlePage)
  const isWatching = useStore(watchedJobs).length > 0
  const { data: jobs } = useQuery({ ...bulkQuery.jobs(), enabled: isIdle || isWatching })

  useEffect(() => {
    for (const job of jobs ?? []) {
      if (isActiveJob(job)) watchJob(job.id)
      else if (unwatchJob(job.id)) announceEnd(job, () => undoJob(queryClient, job.id))
      else continue
      if (!isActiveJob(job) && job.action !== 'export') invalidateAfterJob(queryClient, job)
    }
  }, [jobs, queryClient])

  if (jobs === undefined || jobs.length === 0) return null
  const active = jobs.filter(isActiveJob)
  const [first] = active
  return (
    <Popover
      align="end"
      label="Jobs"
      className="w-96 max-w-[calc(100vw-24px)] p-0"
      trigger={
        <button type="button" className="flex shrink-0 items-center gap-1 text-accent hover:underline">
          {first !== undefined && <LoaderCircle size={12} className="animate-spin" aria-hidden />}
          {first === undefined
            ? 'Jobs'
            : `${describeJob(first)} ${formatPercent(first)}${active.length > 1 ? `, ${active.length - 1} more` : ''}`}
        </button>
      }
    >
      <ul aria-label="Jobs" className="max-h-96 divide-y divide-border overflow-auto">
        {jobs.map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
      </ul>
    </Popover>
  )
}

function announceEnd(job: BulkJob, undo: () => Promise<void>) {
  const message = `${describeJob(job)}: ${formatCount(job.done - job.failed)} of ${formatCount(job.total)} done`
  if (job.status === 'failed') return toast.failure(`${describeJob(job)} stopped`, job.error ?? undefined)
  if (job.failed > 0)
    return toast.failure(`${message}, ${formatCount(job.failed)} failed. Open Jobs in the status bar for details.`)
  if (job.download_url !== null) {
    const { download_url } = job
    return toast.done('The export is ready', { label: 'Download', run: () => location.assign(download_url) })
  }
  if (!job.can_undo) return toast.done(message)
  toast.done(message, {
    label: 'Undo',
    run: () => void undo().catch((cause) => toast.failure('Could not undo the job', cause)),
  })
}

const formatPercent = ({ done, total }: BulkJob) => (total === 0 ? '' : `${Math.floor((done / total) * 100)} %`)

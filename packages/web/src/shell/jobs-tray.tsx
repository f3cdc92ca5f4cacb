import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { BulkJob } from '@touchstone/sdk'
import { LoaderCircle } from 'lucide-react'
import { useEffect } from 'react'
import { awaitedJobs, bulkQuery, isGoingOn, undoJob } from '#data/bulk-jobs.ts'
import { describeJob } from '#domain/bulk/describe-job.ts'
import { JobRow } from '#domain/bulk/job-row.tsx'
import { formatCount } from '#lib/format/format.ts'
import { Popover } from '#ui/popover.tsx'
import { toast } from '#ui/toast.tsx'

/** What the server does for people right now, and what it did lately; in the status bar. */
export function JobsTray() {
  const queryClient = useQueryClient()
  const { data: jobs } = useQuery(bulkQuery.jobs())

  useEffect(() => {
    for (const job of jobs ?? []) {
      if (isGoingOn(job)) awaitedJobs.add(job.id)
      else if (awaitedJobs.delete(job.id)) tellEnd(job, () => undoJob(queryClient, job.id))
      else continue
      if (!isGoingOn(job) && job.action !== 'export') void queryClient.invalidateQueries({ predicate: mayHaveChanged })
    }
  }, [jobs, queryClient])

  if (jobs === undefined || jobs.length === 0) return null
  const going = jobs.filter(isGoingOn)
  const [first] = going
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
            : `${describeJob(first)} ${percentOf(first)}${going.length > 1 ? `, ${going.length - 1} more` : ''}`}
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

/** Whatever shows runs, examples or queues; not the jobs themselves. */
function mayHaveChanged({ queryKey: [noun] }: { queryKey: readonly unknown[] }): boolean {
  return ['runs', 'traces', 'threads', 'projects', 'datasets', 'queues'].includes(String(noun))
}

function tellEnd(job: BulkJob, undo: () => Promise<void>) {
  const says = `${describeJob(job)}: ${formatCount(job.done - job.failed)} of ${formatCount(job.total)} done`
  if (job.status === 'failed') return toast.failure(`${describeJob(job)} stopped`, job.error ?? undefined)
  if (job.failed > 0)
    return toast.failure(`${says}, ${formatCount(job.failed)} failed. Jobs, at the bottom, names them.`)
  if (job.download_url !== null) {
    const { download_url } = job
    return toast.done('The export is ready', { label: 'Download', run: () => location.assign(download_url) })
  }
  if (!job.can_undo) return toast.done(says)
  toast.done(says, {
    label: 'Undo',
    run: () => void undo().catch((cause) => toast.failure('It could not be undone', cause)),
  })
}

const percentOf = ({ done, total }: BulkJob) => (total === 0 ? '' : `${Math.floor((done / total) * 100)} %`)

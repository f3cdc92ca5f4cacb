import { useInfiniteQuery } from '@tanstack/react-query'
import { formatAbsoluteTime, formatRelativeTime } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { jobQuery } from '../queries.ts'
import { JobButtons, JobProgress } from './job-controls.tsx'

interface JobsDialogProps {
  mayRun: boolean
  /** Shows a run above the variants. */
  onShow: (jobId: string) => void
  onClose: () => void
}

/** The runs over datasets of the workspace, newest first. */
export function JobsDialog({ mayRun, onShow, onClose }: JobsDialogProps) {
  const list = useInfiniteQuery(jobQuery.list())
  const jobs = list.data?.pages.flatMap((page) => page.jobs) ?? []
  const total = list.data?.pages[0]?.total ?? 0
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Runs over datasets"
      description="They work on the server, also while this page is closed."
      width="max-w-3xl"
    >
      {list.error !== null && (
        <ErrorState compact title="Could not load the runs" error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.isPending && <SkeletonRows rows={6} label="Loading the runs" />}
      {list.isSuccess && jobs.length === 0 && (
        <p className="text-row text-fg-muted">
          None yet. Press Dataset in the playground to run its variants over one.
        </p>
      )}
      <ul aria-label="Runs over datasets" className="divide-y divide-border empty:hidden">
        {jobs.map((job) => (
          <li key={job.id} className="flex flex-col gap-1 py-2 text-row">
            <div className="flex min-w-0 items-baseline gap-3">
              <button
                type="button"
                title={`${job.name}\nShow above the variants`}
                onClick={() => onShow(job.id)}
                className="min-w-0 truncate text-left font-medium hover:underline"
              >
                {job.name}
              </button>
              <span className="ml-auto shrink-0 text-meta text-fg-muted" title={formatAbsoluteTime(job.created_at)}>
                {[formatRelativeTime(job.created_at), job.created_by_name?.slice(0, 40)].filter(Boolean).join(', ')}
              </span>
            </div>
            <p className="truncate text-fg-muted">
              {job.variants.map(({ name, model, experiment_id: id, experiment_name, experiment_path }, at) => (
                <span key={id}>
                  {at > 0 && ', '}
                  <a href={experiment_path} title={experiment_name} className="hover:underline">
                    {name}: {model}
                  </a>
                </span>
              ))}
            </p>
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
              <JobProgress job={job} isLive={false} />
              <span className="ml-auto flex flex-wrap items-center gap-1.5">
                <JobButtons job={job} mayRun={mayRun} isListed />
              </span>
            </div>
            {job.reason !== null && <p className="text-warn [overflow-wrap:anywhere]">{job.reason}</p>}
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button className="mt-2" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more ({total - jobs.length} older)
        </Button>
      )}
    </Dialog>
  )
}

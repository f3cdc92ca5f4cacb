import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { pluralize } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { ErrorState } from '#ui/states.tsx'
import { jobQuery } from '../queries.ts'
import { JobButtons, JobProgress } from './job-controls.tsx'

interface JobStripProps {
  jobId: string
  mayRun: boolean
  onDismiss: () => void
}

/** Progress of a run over a dataset, with a link to its comparison from the start. */
export function JobStrip({ jobId, mayRun, onDismiss }: JobStripProps) {
  const { data: job, error, refetch } = useQuery(jobQuery.one(jobId))
  if (error !== null && job === undefined) {
    return (
      <div className="flex items-start border-b border-border bg-surface">
        <div className="min-w-0 flex-1">
          <ErrorState
            compact
            title="Could not load the run over the dataset"
            error={error}
            onRetry={() => void refetch()}
          />
        </div>
        <IconButton icon={X} label="Dismiss the run over the dataset" onClick={onDismiss} />
      </div>
    )
  }
  if (job === undefined) return null
  return (
    <section aria-label="Run over a dataset" className="border-b border-border bg-surface px-3 py-1.5 text-row">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <JobProgress job={job} isLive />
        <span className="ml-auto flex flex-wrap items-center gap-1.5">
          <JobButtons job={job} mayRun={mayRun} isListed={false} />
          <IconButton icon={X} label="Dismiss the run over the dataset" onClick={onDismiss} />
        </span>
      </div>
      {job.reason !== null && <p className="text-warn [overflow-wrap:anywhere]">{job.reason}</p>}
      {job.failures.length > 0 && (
        <Disclosure summary={`${pluralize(job.failures.length, 'failure')} shown`}>
          <ul className="max-h-40 overflow-auto pb-1 text-fg-muted">
            {job.failures.map(({ run_id, variant, problem, evaluator_error }) => (
              <li key={run_id} className="[overflow-wrap:anywhere]">
                <a href={`/go/${run_id}`} className="hover:underline">
                  {job.variants[variant]?.name}
                </a>
                : {problem?.provider_message ?? problem?.message ?? evaluator_error}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </section>
  )
}

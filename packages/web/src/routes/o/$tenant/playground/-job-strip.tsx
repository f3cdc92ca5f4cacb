import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CirclePause, CircleStop, CircleX, LoaderCircle, Pause, Play, Square, X } from 'lucide-react'
import { jobMutation, jobQuery } from '#data/playground.ts'
import { formatCost, formatCount, pluralize } from '#lib/format.ts'
import { Button, buttonLook, IconButton } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'

interface JobStripProps {
  jobId: string
  mayRun: boolean
  onDismiss: () => void
}

const STATES = {
  RUNNING: { icon: LoaderCircle, label: 'Running' },
  PAUSED: { icon: CirclePause, label: 'Paused' },
  STOPPED: { icon: CircleStop, label: 'Stopped' },
  COMPLETED: { icon: CircleCheck, label: 'Completed' },
  ERROR: { icon: CircleX, label: 'Failed' },
} as const

/** Progress of a run over a dataset, with a link to its comparison from the start. */
export function JobStrip({ jobId, mayRun, onDismiss }: JobStripProps) {
  const { data: job, error, refetch } = useQuery(jobQuery.one(jobId))
  const change = useMutation(jobMutation.change(useQueryClient(), jobId))
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
  const { icon: Icon, label } = STATES[job.state]
  const act = (action: 'pause' | 'resume' | 'stop') => () =>
    change.mutate(action, { onError: (cause) => toast.failure(`Could not ${action} the run`, cause) })
  const isEnded = job.state === 'COMPLETED'
  return (
    <section aria-label="Run over a dataset" className="border-b border-border bg-surface px-3 py-1.5 text-row">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span role="status" className="flex items-center gap-1.5 font-medium">
          <Icon size={14} aria-hidden className={job.state === 'ERROR' ? 'text-err' : 'text-fg-muted'} />
          {label}
        </span>
        <progress
          aria-label="Calls that ended"
          value={job.done}
          max={Math.max(job.total, 1)}
          className="h-1.5 w-28 accent-accent"
        />
        <span className="tabular-nums text-fg-muted">
          {formatCount(job.done)} of {pluralize(job.total, 'call')}
          {job.failed > 0 && `, ${formatCount(job.failed)} failed`}
          {job.cost !== null && `, ${formatCost(String(job.cost))}`}
        </span>
        <span className="ml-auto flex items-center gap-1.5">
          {mayRun && job.state === 'RUNNING' && (
            <Button disabled={change.isPending} onClick={act('pause')}>
              <Pause size={12} aria-hidden />
              Pause
            </Button>
          )}
          {mayRun && !isEnded && job.state !== 'RUNNING' && (
            <Button disabled={change.isPending} onClick={act('resume')}>
              <Play size={12} aria-hidden />
              Resume
            </Button>
          )}
          {mayRun && (job.state === 'RUNNING' || job.state === 'PAUSED') && (
            <Button disabled={change.isPending} onClick={act('stop')}>
              <Square size={12} aria-hidden />
              Stop
            </Button>
          )}
          <a href={job.comparison_path} className={buttonLook('primary')}>
            Compare experiments
          </a>
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

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Run } from '@touchstone/sdk'
import { FlaskConical } from 'lucide-react'
import { formatAbsoluteTime, formatLatency, formatScore } from '#lib/format.ts'
import { stripTerminalCodes } from '#lib/terminal-text.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { CostText } from '#ui/cost-text.tsx'
import { EmptyState, ErrorState, Preview, SkeletonRows } from '#ui/states.tsx'
import { exampleQuery, MAX_RUNS } from './queries.ts'

interface ExampleRunsProps {
  tenant: string
  datasetId: string
  exampleId: string
}

/** The runs of all experiments on an example, newest first. */
export function ExampleRuns({ tenant, datasetId, exampleId }: ExampleRunsProps) {
  const runs = useQuery(exampleQuery.runs(datasetId, exampleId))
  if (runs.error) {
    return <ErrorState title="Could not load the runs" error={runs.error} onRetry={() => void runs.refetch()} />
  }
  if (runs.data === undefined) return <SkeletonRows rows={4} label="Loading the runs" />
  if (runs.data.length === 0) {
    return (
      <EmptyState icon={FlaskConical} title="No runs yet">
        An experiment on this dataset adds a run for this example.
      </EmptyState>
    )
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <ul aria-label="Runs on the example">
        {runs.data.map(({ run, experiment }) => (
          <li key={run.id} className="flex min-w-0 flex-col gap-1 border-b border-border px-3 py-2 text-row">
            <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1">
              <Link
                to="/o/$tenant/projects/p/$projectId/r/$runId"
                params={{ tenant, projectId: run.session_id, runId: run.id }}
                className="min-w-0 truncate font-medium text-accent hover:underline"
              >
                {experiment}
              </Link>
              <span className="text-fg-muted">{formatAbsoluteTime(run.start_time)}</span>
              <span className="tabular-nums text-fg-muted">
                {formatLatency(msBetween(run.start_time, run.end_time))}
                {run.total_cost != null && (
                  <>
                    {' · '}
                    <CostText total={run.total_cost} reported={run.reported_cost} fees={run.unpriced_fees} />
                  </>
                )}
              </span>
              <Scores run={run} />
            </div>
            <p className={run.error_preview ? 'truncate text-err' : 'truncate text-fg-muted'}>
              <Preview derived={run.error_preview ? undefined : run.derived_payloads} side="outputs">
                {stripTerminalCodes(run.error_preview || run.outputs_preview || '') ||
                  (run.status === 'pending' ? 'Still running' : 'No output')}
              </Preview>
            </p>
          </li>
        ))}
      </ul>
      {runs.data.length >= MAX_RUNS && (
        <p className="p-3 text-row text-fg-muted">Only the latest {MAX_RUNS} runs are shown.</p>
      )}
    </div>
  )
}

function Scores({ run }: { run: Run }) {
  return Object.entries(run.feedback_stats ?? {}).map(([key, stat]) => (
    <span key={key} className="rounded-control bg-sunken px-1.5 tabular-nums text-fg-muted">
      {key} {formatScore(stat.avg)}
    </span>
  ))
}

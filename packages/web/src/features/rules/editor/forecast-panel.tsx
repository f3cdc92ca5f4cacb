import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { RuleForecast, RuleTryResult } from '@touchstone/sdk'
import { FlaskConical } from 'lucide-react'
import { useMay } from '#features/accounts/me.ts'
import { formatAbsoluteTime, formatCost, formatCount, formatRelativeTime, pluralize, spellCost } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { useSettledText } from '#ui/search-field.tsx'
import { ErrorState } from '#ui/states.tsx'
import type { DraftResult } from '../draft.ts'
import { ruleMutation, ruleQuery } from '../queries.ts'

type Definition = Extract<DraftResult, { definition: unknown }>['definition']

interface ForecastPanelProps {
  tenant: string
  result: DraftResult
}

/** What the rule would have done in the last 24 hours, counted by the conditions that it will use, and a try on ten runs. */
export function ForecastPanel({ tenant, result }: ForecastPanelProps) {
  // A text, so that a definition is counted when typing has stopped.
  const settled = useSettledText('definition' in result ? JSON.stringify(result.definition) : '')
  return (
    <aside aria-label="Last 24 hours" className="flex min-w-0 flex-col gap-3 lg:w-[38%]">
      <h2 className="text-row font-medium">Last 24 hours</h2>
      {settled === '' ? (
        <p className="text-row text-fg-muted">
          What the rule would have done is counted here when it has a source and complete actions.
        </p>
      ) : (
        <Forecast tenant={tenant} definition={JSON.parse(settled) as Definition} />
      )}
    </aside>
  )
}

function Forecast({ tenant, definition }: { tenant: string; definition: Definition }) {
  const { data, error, isPlaceholderData, refetch } = useQuery(ruleQuery.forecast(definition))
  const trial = useMutation(ruleMutation.try())
  const mayWrite = useMay('member')
  if (error !== null && data === undefined) {
    return <ErrorState compact title="Could not count" error={error} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <p className="text-row text-fg-muted">Counting…</p>
  const hasEvaluators = definition.actions.some(({ kind }) => kind === 'evaluate')
  return (
    <>
      <div aria-busy={isPlaceholderData} className={isPlaceholderData ? 'opacity-60' : undefined}>
        <Counts forecast={data} hasEvaluators={hasEvaluators} />
      </div>
      <section aria-label="Samples" className="flex flex-col gap-1">
        <h3 className="text-row font-medium">Newest in the sample</h3>
        {data.samples.length === 0 && (
          <p className="text-row text-fg-muted">None. The rule waits for the first one that matches.</p>
        )}
        <ul>
          {data.samples.map((run) => (
            <li key={run.run_id} className="flex min-w-0 items-center gap-2 border-t border-border py-1 text-row">
              <RunLink tenant={tenant} run={run} />
              <span className="ml-auto shrink-0 text-meta text-fg-muted" title={formatAbsoluteTime(run.start_time)}>
                {formatRelativeTime(run.start_time).replace(/\.\d{3}$/, '')}
              </span>
            </li>
          ))}
        </ul>
      </section>
      {mayWrite && data.samples.length > 0 && (
        <>
          <span>
            <Button disabled={trial.isPending} onClick={() => trial.mutate({ definition })}>
              <FlaskConical size={13} aria-hidden />
              {trial.isPending ? 'Trying…' : 'Try on 10'}
            </Button>
          </span>
          {trial.isError && <ErrorState compact title="Could not try the rule" error={trial.error} />}
          {trial.data && <TryResult tenant={tenant} result={trial.data} />}
        </>
      )}
    </>
  )
}

function Counts({ forecast, hasEvaluators }: { forecast: RuleForecast; hasEvaluators: boolean }) {
  const { seen, matched, sampled, is_sampled_derived, estimate } = forecast
  const { calls, cost, cost_per_week } = estimate
  return (
    <div role="status" className="flex flex-col gap-1 text-row">
      <p className="text-base">
        <span className="font-medium">{formatCount(matched)}</span> of {formatCount(seen)} match
      </p>
      <p className="text-fg-muted">
        {is_sampled_derived && '~'}
        {formatCount(sampled)} in the sample
      </p>
      {hasEvaluators && (
        <p className="text-fg-muted">
          {pluralize(calls, 'model call')}, {cost === null ? 'cost unknown' : `about ${formatCost(String(cost))}`}
          {cost_per_week !== null && ` a day, ${formatCost(String(cost_per_week))} a week`}
        </p>
      )}
    </div>
  )
}

interface RunLinkProps {
  tenant: string
  run: RuleForecast['samples'][number]
}

function RunLink({ tenant, run }: RunLinkProps) {
  return (
    <Link
      to="/o/$tenant/projects/p/$projectId/r/$runId"
      params={{ tenant, projectId: run.session_id, runId: run.run_id }}
      search={{ trace_id: run.trace_id }}
      target="_blank"
      dir="auto"
      className="min-w-0 truncate font-medium hover:underline"
    >
      {run.name}
    </Link>
  )
}

/** What each action gave or would do; nothing is stored. */
function TryResult({ tenant, result }: { tenant: string; result: RuleTryResult }) {
  return (
    <section aria-label="Result of the try" className="flex flex-col gap-1">
      <p role="status" className="text-row text-fg-muted">
        Tried on {pluralize(result.runs.length, 'run')}; nothing is stored. Cost{' '}
        {spellCost(result.cost === null ? null : String(result.cost))}.
      </p>
      <ul>
        {result.runs.map((run) => (
          <li key={run.run_id} className="flex min-w-0 flex-col border-t border-border py-1 text-row">
            <RunLink tenant={tenant} run={run} />
            {run.outcomes.map(({ kind, state, detail }, at) => (
              <span
                // biome-ignore lint/suspicious/noArrayIndexKey: outcomes have no ids and never move
                key={at}
                dir="auto"
                className={`[overflow-wrap:anywhere] ${state === 'failed' ? 'text-err' : 'text-fg-muted'}`}
              >
                {kind}: {detail}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}

import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Rule, RuleDecision, RuleState } from '@touchstone/sdk'
import { RotateCcw } from 'lucide-react'
import { useMay } from '#features/accounts/me.ts'
import { formatAbsoluteTime, formatCost, formatRelativeTime } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'
import { Select } from '#ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { ruleMutation, ruleQuery } from '../queries.ts'
import { DecisionMark } from '../rule-marks.tsx'
import { describeDecision, STATE_LABELS } from '../state.ts'

interface LogTabProps {
  tenant: string
  rule: Rule
  state: RuleState | undefined
}

const STATES = Object.entries(STATE_LABELS).map(([value, label]) => ({ value, label }))

/** What the rule decided, newest first. Runs that do not match are not listed: their own Rules tab tells why. */
export function LogTab({ tenant, rule, state }: LogTabProps) {
  const navigate = useNavigate()
  const query = useInfiniteQuery(ruleQuery.decisions(rule.id, state))
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const decisions = data?.pages.flatMap((page) => page.decisions)
  function choose(next: string) {
    void navigate({
      to: '/o/$tenant/rules/$ruleId',
      params: { tenant, ruleId: rule.id },
      search: { tab: 'log', ...(next !== '' && { state: next }) },
    })
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-border bg-surface px-3 py-1.5">
        <Select
          aria-label="State"
          size="toolbar"
          value={state ?? ''}
          onChange={choose}
          options={[{ value: '', label: 'All decisions' }, ...STATES]}
        />
        <Button onClick={() => void refetch()}>Refresh</Button>
        <span className="text-row text-fg-muted">Decisions are kept for 90 days.</span>
      </div>
      {error !== null && data === undefined && (
        <ErrorState title="Could not load the decisions" error={error} onRetry={() => void refetch()} />
      )}
      {error === null && decisions === undefined && <SkeletonRows label="Loading decisions" />}
      {decisions?.length === 0 && (
        <EmptyState title={state === undefined ? 'No decisions yet' : `No decision is “${STATE_LABELS[state]}”`}>
          {state === undefined &&
            'A decision appears when a run matches. Open a run and its Rules tab to see why it does not.'}
        </EmptyState>
      )}
      {decisions !== undefined && decisions.length > 0 && (
        <CardTable
          label="Decisions"
          columns={['Decision', 'Run', 'What happened', { title: 'Cost', isNumber: true }, 'Decided']}
          hasActions
        >
          {decisions.map((decision) => (
            <DecisionRow
              key={`${decision.run_id} ${decision.rule_version} ${decision.decided_at}`}
              tenant={tenant}
              decision={decision}
            />
          ))}
        </CardTable>
      )}
      {hasNextPage && (
        <div className="p-3 text-center">
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </div>
      )}
      {error !== null && data !== undefined && (
        <ErrorState compact title="Could not load more" error={error} onRetry={() => void fetchNextPage()} />
      )}
    </>
  )
}

function DecisionRow({ tenant, decision }: { tenant: string; decision: RuleDecision }) {
  const { run_id, trace_id, session_id, state, rule_version, attempts, cost, decided_at, backfill_id } = decision
  return (
    <CardRow>
      <td className="px-3 py-1 max-sm:p-0">
        <DecisionMark state={state} />
        <span className="block whitespace-nowrap text-meta text-fg-muted">
          version {rule_version}
          {attempts > 1 && `, try ${attempts}`}
          {backfill_id !== null && ', backfill'}
        </span>
      </td>
      <td className="px-3 py-1 max-sm:p-0">
        <Link
          to="/o/$tenant/projects/p/$projectId/r/$runId"
          params={{ tenant, projectId: session_id, runId: run_id }}
          search={{ trace_id, tab: 'rules' }}
          aria-label={`Run ${run_id}`}
          className="font-mono text-accent hover:underline"
        >
          {run_id.slice(0, 8)}
        </Link>
      </td>
      <td dir="auto" className="w-full max-w-0 px-3 py-1 max-sm:max-w-none max-sm:p-0">
        <span className="block [overflow-wrap:anywhere]">{describeDecision(decision)}</span>
      </td>
      <td className="num px-3 py-1 max-sm:p-0">{cost === null ? '–' : formatCost(String(cost))}</td>
      <td
        className="whitespace-nowrap px-3 py-1 text-fg-muted max-sm:ml-auto max-sm:p-0"
        title={formatAbsoluteTime(decided_at)}
      >
        {formatRelativeTime(decided_at).replace(/\.\d{3}$/, '')}
      </td>
      <td className="px-1 text-right max-sm:p-0">
        {(state === 'done' || state === 'failed') && <RedoButton ruleId={decision.rule_id} runId={run_id} />}
      </td>
    </CardRow>
  )
}

function RedoButton({ ruleId, runId }: { ruleId: string; runId: string }) {
  const mayWrite = useMay('member')
  const redo = useMutation(ruleMutation.redo(useQueryClient(), ruleId))
  if (!mayWrite) return null
  return (
    <IconButton
      icon={RotateCcw}
      label={`Act again on run ${runId.slice(0, 8)}`}
      disabled={redo.isPending}
      onClick={() =>
        redo.mutate([runId], {
          onSuccess: (count) =>
            count > 0
              ? toast.done('The run waits for its turn again')
              : toast.failure('The run does not match the newest version of the rule, or is not in its sample.'),
          onError: (cause) => toast.failure('The run could not be done again.', cause),
        })
      }
    />
  )
}

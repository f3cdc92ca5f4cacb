import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { RuleClause, RuleExplanation } from '@touchstone/sdk'
import { Check, X } from 'lucide-react'
import { useMay } from '#features/accounts/me.ts'
import { buttonLook } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { ruleQuery } from './queries.ts'
import { DecisionMark } from './rule-marks.tsx'

/** What each rule of the workspace decided about a run, and why: one line per rule, its conditions on request. */
export function RunRules({ runId }: { runId: string }) {
  const { tenant = '' } = useParams({ strict: false }) as { tenant?: string }
  const mayWrite = useMay('member')
  const { data, error, refetch } = useQuery(ruleQuery.explain(runId))
  if (data === undefined) {
    if (error === null) return <SkeletonRows rows={3} label="Loading rules" />
    return <ErrorState title="Could not explain the rules" error={error} onRetry={() => void refetch()} />
  }
  if (data.length === 0) {
    return (
      <EmptyState
        title="No rules"
        actions={
          mayWrite && (
            <Link to="/o/$tenant/rules/new" params={{ tenant }} className={buttonLook()}>
              New rule
            </Link>
          )
        }
      >
        The workspace has no rules that act on runs by themselves.
      </EmptyState>
    )
  }
  // Rules of other projects come last.
  const isElsewhere = ({ clauses }: RuleExplanation) => clauses.some(({ of, holds }) => of === 'project' && !holds)
  const sorted = [...data.filter((one) => !isElsewhere(one)), ...data.filter(isElsewhere)]
  return (
    <ul aria-label="Rules" className="min-h-0 flex-1 overflow-auto">
      {sorted.map((rule) => (
        <RuleLine key={rule.rule_id} tenant={tenant} rule={rule} />
      ))}
    </ul>
  )
}

function RuleLine({ tenant, rule }: { tenant: string; rule: RuleExplanation }) {
  const { rule_id, name, decision, summary, clauses, version, is_enabled } = rule
  return (
    <li className="flex flex-col gap-0.5 border-b border-border px-3 py-2 text-row">
      <span className="flex min-w-0 items-center gap-2">
        <Link
          to="/o/$tenant/rules/$ruleId"
          params={{ tenant, ruleId: rule_id }}
          dir="auto"
          className="min-w-0 truncate font-medium hover:underline"
        >
          {name}
        </Link>
        <span className="shrink-0 text-meta text-fg-subtle">
          version {version}
          {!is_enabled && ', paused'}
        </span>
        <span className="ml-auto shrink-0">
          {decision === null ? (
            <span className="text-fg-muted">No decision</span>
          ) : (
            <DecisionMark state={decision.state} />
          )}
        </span>
      </span>
      <span dir="auto" className="text-fg-muted [overflow-wrap:anywhere]">
        {summary}
      </span>
      <Disclosure summary={decision === null ? 'Why not?' : 'Conditions'}>
        <Clauses clauses={clauses} />
      </Disclosure>
    </li>
  )
}

const SCOPES: Readonly<Partial<Record<RuleClause['of'], string>>> = {
  trace_filter: 'root of the trace',
  tree_filter: 'any run of the trace',
}

function Clauses({ clauses }: { clauses: readonly RuleClause[] }) {
  return (
    <ul aria-label="Conditions" className="pl-4">
      {clauses.map(({ of, text, holds }) => {
        const Icon = holds ? Check : X
        const isCode = of.endsWith('filter')
        return (
          <li key={`${of} ${text}`} className="flex min-w-0 items-start gap-2 py-0.5">
            <Icon
              size={13}
              role="img"
              aria-label={holds ? 'Holds' : 'Does not hold'}
              className={`mt-0.5 shrink-0 ${holds ? 'text-ok' : 'text-err'}`}
            />
            <span className={`min-w-0 [overflow-wrap:anywhere] ${isCode ? 'font-mono' : ''}`}>{text}</span>
            {SCOPES[of] !== undefined && <span className="shrink-0 text-meta text-fg-muted">{SCOPES[of]}</span>}
          </li>
        )
      })}
    </ul>
  )
}

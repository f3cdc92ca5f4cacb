import { RULE_WINDOWS, type RuleCounts, type RuleFunnel, type RuleWindow, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { all, type Fragment, literal, sql, time, uint } from '../../storage/analytics/sql.ts'
import type { RuleRow } from '../../storage/relational/tables/rules.ts'
import { COUNT_ROW } from '../../storage/rows.ts'
import { readScope, whereMatches, whereSeen } from './conditions.ts'
import { countOpenClaims } from './engine/claims.ts'
import { whereHasFeedback } from './engine/find-written.ts'
import { type Counted, countDecisions } from './ledger.ts'
import { readDefinition } from './present.ts'

type FunnelDeps = Pick<Deps, 'relational' | 'analytics' | 'clock'>

/** Runs of a window that a rule saw, matched and acted on. Runs count by when they arrived, decisions by when they were made. */
export async function readFunnel(deps: FunnelDeps, rule: RuleRow, window: RuleWindow): Promise<RuleFunnel> {
  const sinceMs = toSinceMs(deps, window)
  const { tenant_id: tenantId, id: ruleId } = rule
  const definition = readDefinition(rule.definition)
  const scope = await readScope(deps, tenantId, definition)
  const { feedback } = definition
  const hasFeedback = feedback == null ? [] : [whereHasFeedback(tenantId, feedback)]
  // A thread counts once, however many of its turns arrived.
  const targets = literal(scope.target === 'thread' ? 'uniqExact(session_id, thread_id)' : 'count()')
  // A row has a version of its arrival or later, and the index on it skips what is older.
  const arrived = sql`version > ${uint(sinceMs * 1000)} and received_at > ${time(timeOfEpochMs(sinceMs))}`
  const count = async (condition: Fragment) => {
    const [row] = await deps.analytics.query(
      sql`select ${targets} as n from runs final where ${condition} and ${arrived}`,
      COUNT_ROW,
    )
    return row?.n ?? 0
  }
  const [seen, matched, waiting, { counted, lags }] = await Promise.all([
    count(whereSeen(tenantId, scope)),
    count(all([whereMatches(tenantId, scope), ...hasFeedback])),
    countOpenClaims(deps.relational.db, tenantId, ruleId),
    countDecisions(deps, tenantId, { sinceMs, ruleId }),
  ])
  const hours = [...new Set(counted.map(({ time }) => time))].map((time) => ({
    time,
    ...sumStates(counted.filter((one) => one.time === time)),
  }))
  return { seen, matched, ...toCounts(counted, waiting.get(ruleId) ?? 0, lags.get(ruleId)), hours }
}

/** Decisions of each rule of a workspace within a window; rules without any are left out. */
export async function readCounts(
  deps: FunnelDeps,
  tenantId: string,
  window: RuleWindow,
): Promise<(RuleCounts & { rule_id: string })[]> {
  const [{ counted, lags }, waiting] = await Promise.all([
    countDecisions(deps, tenantId, { sinceMs: toSinceMs(deps, window) }),
    countOpenClaims(deps.relational.db, tenantId),
  ])
  const ids = new Set([...counted.map(({ ruleId }) => ruleId), ...waiting.keys()])
  return [...ids].map((rule_id) => {
    const own = counted.filter(({ ruleId }) => ruleId === rule_id)
    return { rule_id, ...toCounts(own, waiting.get(rule_id) ?? 0, lags.get(rule_id)) }
  })
}

const toSinceMs = ({ clock }: FunnelDeps, window: RuleWindow) => clock() - RULE_WINDOWS[window] * 3_600_000

function toCounts(counted: readonly Counted[], waiting: number, lag: number | undefined): RuleCounts {
  return { ...sumStates(counted), waiting, lag_p95_ms: lag ?? null }
}

function sumStates(counted: readonly Counted[]) {
  const count = (state: string) => counted.reduce((sum, one) => (one.state === state ? sum + one.n : sum), 0)
  return {
    sampled_out: count('sampled_out'),
    limited: count('limited'),
    done: count('done'),
    failed: count('failed'),
    cost: counted.reduce((sum, { cost }) => sum + cost, 0),
  }
}

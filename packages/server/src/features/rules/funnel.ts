import { RULE_WINDOWS, type RuleFunnel, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { sql, time, uint } from '../../storage/analytics/sql.ts'
import type { RuleRow } from '../../storage/relational/tables/rules.ts'
import { COUNT_ROW } from '../../storage/rows.ts'
import { whereMatches, whereSeen } from './conditions.ts'
import { countOpenClaims } from './engine/claims.ts'
import { countDecisions } from './ledger.ts'
import { readDefinition } from './present.ts'

/** Runs of a window that a rule saw, matched and acted on. Runs count by when they arrived, decisions by when they were made. */
export async function readFunnel(
  deps: Pick<Deps, 'relational' | 'analytics' | 'clock'>,
  rule: RuleRow,
  window: keyof typeof RULE_WINDOWS,
): Promise<RuleFunnel> {
  const sinceMs = deps.clock() - RULE_WINDOWS[window] * 3_600_000
  const definition = readDefinition(rule.definition)
  // A row has a version of its arrival or later, and the index on it skips what is older.
  const arrived = sql`version > ${uint(sinceMs * 1000)} and received_at > ${time(timeOfEpochMs(sinceMs))}`
  const count = async (condition: ReturnType<typeof whereSeen>) => {
    const [row] = await deps.analytics.query(
      sql`select count() as n from runs final where ${condition} and ${arrived}`,
      COUNT_ROW,
    )
    return row?.n ?? 0
  }
  const [seen, matched, waiting, { counts, cost }] = await Promise.all([
    count(whereSeen(rule.tenant_id, definition)),
    count(whereMatches(rule.tenant_id, definition)),
    countOpenClaims(deps.relational.db, rule.id),
    countDecisions(deps, rule.tenant_id, rule.id, sinceMs),
  ])
  return {
    seen,
    matched,
    sampled_out: counts.get('sampled_out') ?? 0,
    waiting,
    done: counts.get('done') ?? 0,
    failed: counts.get('failed') ?? 0,
    cost,
  }
}

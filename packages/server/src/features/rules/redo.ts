import type { Deps } from '../../deps.ts'
import { all, sql, uuid } from '../../storage/analytics/sql.ts'
import type { RuleRow } from '../../storage/relational/tables/rules.ts'
import { columns, count } from '../../storage/rows.ts'
import { whereRunIds } from '../runs/index.ts'
import { readScope, whereMatches } from './conditions.ts'
import { claimFound } from './engine/claim-found.ts'
import { FOUND } from './engine/find-written.ts'
import { readDefinition } from './present.ts'

/**
 * Acts again on runs that match a rule, with its newest version. Feedback of the rule is replaced.
 *
 * @returns the number of runs that wait for it now
 */
export async function redo(
  deps: Pick<Deps, 'relational' | 'analytics' | 'clock'>,
  rule: RuleRow,
  runIds: readonly string[],
): Promise<number> {
  const definition = readDefinition(rule.definition)
  const scope = await readScope(deps, rule.tenant_id, definition)
  const rows = await deps.analytics.query(
    sql`
    select id, trace_id, session_id, thread_id, start_time, version
    from runs final
    where ${all([whereMatches(rule.tenant_id, scope), sql`tenant_id = ${uuid(rule.tenant_id)}`, whereRunIds(rule.tenant_id, runIds)])}`,
    columns({ ...FOUND, version: count }),
  )
  const found = rows.map((row) => ({ ...row, key: row.id }))
  let waiting = 0
  await claimFound(deps, { rule, definition, found, past: { backfillId: null, again: true } }, async (_, claimed) => {
    waiting = claimed
  })
  return waiting
}

import { timeOfEpochMs } from '@touchstone/contract'
import { and, eq, gte, sql as pg } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { all, sql, time, uuid } from '../../../storage/analytics/sql.ts'
import { ruleSpend } from '../../../storage/relational/tables/rules.ts'
import { columns, number, text } from '../../../storage/rows.ts'
import { toWindow } from '../spend.ts'

/** What a rule did in the current ISO week. */
export interface RuleWeek {
  readonly usd: number
  /** Traces that it acted on. */
  readonly traces: number
}

/** The current ISO week of each rule of a workspace that did something. */
export async function readWeeks(
  { relational, analytics, clock }: Pick<Deps, 'relational' | 'analytics' | 'clock'>,
  tenantId: string,
): Promise<Map<string, RuleWeek>> {
  const { startMs } = toWindow('week', clock())
  const start = timeOfEpochMs(startMs)
  const [spent, acted] = await Promise.all([
    relational.db
      .select({ id: ruleSpend.rule_id, usd: pg<string>`sum(${ruleSpend.spent_usd})` })
      .from(ruleSpend)
      .where(and(eq(ruleSpend.tenant_id, tenantId), gte(ruleSpend.day, start.slice(0, 10))))
      .groupBy(ruleSpend.rule_id),
    analytics.query(
      sql`
      select rule_id, toUInt32(uniqExact(trace_id)) as traces
      from rule_decisions final
      where ${all([sql`tenant_id = ${uuid(tenantId)}`, sql`decided_at >= ${time(start)}`, sql`state in ('done', 'failed')`])}
      group by rule_id`,
      columns({ rule_id: text, traces: number }),
    ),
  ])
  const usd = new Map(spent.map((row) => [row.id, Number(row.usd)]))
  const traces = new Map(acted.map((row) => [row.rule_id, row.traces]))
  const ids = new Set([...usd.keys(), ...traces.keys()])
  return new Map([...ids].map((id) => [id, { usd: usd.get(id) ?? 0, traces: traces.get(id) ?? 0 }]))
}

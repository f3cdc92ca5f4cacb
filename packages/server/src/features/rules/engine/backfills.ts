import { FilterError, timeOfEpochMs } from '@touchstone/contract'
import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { all, type Fragment, printedTime, sql, time, uint, uuid } from '../../../storage/analytics/sql.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type RuleBackfillRow, ruleBackfills, ruleClaims, rules } from '../../../storage/relational/tables/rules.ts'
import { columns, count } from '../../../storage/rows.ts'
import { readScope, type Scope, whereMatches } from '../conditions.ts'
import { readDefinition } from '../present.ts'
import { type ClaimDeps, claimFound } from './claim-found.ts'
import { FOUND, type Found } from './find-written.ts'

/** Runs that are looked at at once, and claims of a backfill that may be open before it looks on. */
const AT_ONCE = 200
const MAX_OPEN = 200

/**
 * Lets each running backfill look at its next runs, the newest first, while few of its claims are open.
 *
 * @returns whether any is running
 */
export async function workOnBackfills(deps: BackfillDeps): Promise<boolean> {
  const running = await deps.relational.db
    .select({ backfill: ruleBackfills, rule: rules })
    .from(ruleBackfills)
    .innerJoin(rules, eq(rules.id, ruleBackfills.rule_id))
    .where(and(eq(ruleBackfills.state, 'running'), eq(rules.is_enabled, true)))
    .orderBy(asc(ruleBackfills.created_at))
  for (const { backfill, rule } of running) {
    try {
      const open = await countOpen(deps, backfill.id)
      if (open <= MAX_OPEN / 2) await lookBack(deps, backfill, rule, open)
    } catch (error) {
      if (error instanceof Stopped) continue
      // The others go on, and this one with the next tick.
      if (error instanceof FilterError) await end(deps, backfill, { state: 'failed', error: error.message })
      else
        deps.log.warn(
          { err: error, rule: rule.id, backfill: backfill.id },
          'a backfill could not look; it is tried again',
        )
    }
  }
  return running.length > 0
}

/** The backfill was paused or canceled meanwhile: what was claimed is taken back with the transaction. */
class Stopped extends Error {}

type BackfillDeps = ClaimDeps & Pick<Deps, 'log'>
type Rule = typeof rules.$inferSelect

async function lookBack(deps: ClaimDeps, backfill: RuleBackfillRow, rule: Rule, open: number): Promise<void> {
  const definition = readDefinition(rule.definition)
  const scope = await readScope(deps, rule.tenant_id, definition)
  const found = await selectBefore(deps, rule.tenant_id, scope, backfill)
  const last = found.at(-1)
  if (last === undefined) {
    if (open === 0) await end(deps, backfill, { state: 'done', error: null })
    return
  }
  const past = { backfillId: backfill.id, again: backfill.again }
  const given = { rule, definition, found, past }
  await claimFound(deps, given, async (tx, claimed) => {
    const updated = await tx
      .update(ruleBackfills)
      .set({
        looked_at: backfill.looked_at + found.length,
        claimed: backfill.claimed + claimed,
        cursor_time: printedTime(last.start_time),
        cursor_id: last.id,
      })
      .where(and(eq(ruleBackfills.id, backfill.id), eq(ruleBackfills.state, 'running')))
      .returning({ id: ruleBackfills.id })
    if (updated.length === 0) throw new Stopped()
  })
}

const ROW = columns({ ...FOUND, version: count })

/** The next runs of a backfill; of threads their turns. */
async function selectBefore(
  { analytics }: ClaimDeps,
  tenantId: string,
  scope: Scope,
  { cursor_time, cursor_id, ...window }: RuleBackfillRow,
): Promise<Found[]> {
  const before =
    cursor_time === null || cursor_id === null
      ? []
      : [sql`start_time <= ${time(cursor_time)}`, sql`(start_time, id) < (${time(cursor_time)}, ${uuid(cursor_id)})`]
  const rows = await analytics.query(
    sql`
    select id, trace_id, session_id, thread_id, start_time, version
    from runs final
    where ${all([whereMatches(tenantId, scope), whereWindow(window.from_time, window.to_time), ...before])}
    order by start_time desc, id desc
    limit ${uint(AT_ONCE)}`,
    ROW,
  )
  return rows.map((row) => ({ ...row, key: row.id }))
}

/** Runs that started within a window; its end is exclusive. */
export function whereWindow(from: string, to: string): Fragment {
  return all([sql`start_time >= ${time(from)}`, sql`start_time < ${time(to)}`])
}

async function end(
  { relational, clock }: ClaimDeps,
  { id }: RuleBackfillRow,
  ended: { readonly state: 'done' | 'failed'; readonly error: string | null },
): Promise<void> {
  await relational.transaction(async (tx) => {
    await tx
      .update(ruleBackfills)
      .set({ ...ended, finished_at: timeOfEpochMs(clock()) })
      .where(and(eq(ruleBackfills.id, id), eq(ruleBackfills.state, 'running')))
    await deleteWaiting(tx, id)
  })
}

/** What a backfill has claimed and not begun. */
export const deleteWaiting = (db: Database, backfillId: string) =>
  db.delete(ruleClaims).where(and(eq(ruleClaims.backfill_id, backfillId), eq(ruleClaims.state, 'waiting')))

const countOpen = ({ relational: { db } }: ClaimDeps, id: string): Promise<number> =>
  db.$count(ruleClaims, and(eq(ruleClaims.backfill_id, id), inArray(ruleClaims.state, ['waiting', 'running'])))

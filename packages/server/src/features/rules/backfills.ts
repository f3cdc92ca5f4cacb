import {
  ApiError,
  FilterError,
  MAX_OPEN_BACKFILLS,
  type RuleBackfill,
  type RuleBackfillCreate,
  type RuleBackfillUpdate,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, count, desc, eq, inArray, sql as pg } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { all, sql } from '../../storage/analytics/sql.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type RuleBackfillRow, ruleBackfills, ruleClaims } from '../../storage/relational/tables/rules.ts'
import { COUNT_ROW } from '../../storage/rows.ts'
import { readScope, type Scope, whereMatches } from './conditions.ts'
import { deleteWaiting, whereWindow } from './engine/backfills.ts'
import { readDefinition } from './present.ts'
import { getRule } from './rules.ts'
import { toTimeWindow } from './time-window.ts'

type BackfillDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'>

const OPEN_STATES: RuleBackfill['state'][] = ['running', 'paused']

/** Lets a rule act on runs of the past. @throws ApiError NOT_FOUND, CONFLICT, INVALID_REQUEST */
export async function createBackfill(
  deps: BackfillDeps,
  caller: Caller,
  ruleId: string,
  { again, ...window }: RuleBackfillCreate,
): Promise<RuleBackfill> {
  const rule = await getRule(deps.relational.db, caller.tenantId, ruleId)
  const definition = readDefinition(rule.definition)
  if (definition.target === 'feedback') {
    throw new ApiError('INVALID_REQUEST', 'Rules on feedback act on feedback that is given from now on only.')
  }
  const { from, to } = toTimeWindow(window, deps.clock())
  const total = await countMatches(deps, caller.tenantId, await readScope(deps, caller.tenantId, definition), from, to)
  const row: RuleBackfillRow = {
    id: deps.ids(),
    rule_id: rule.id,
    rule_version: rule.version,
    tenant_id: caller.tenantId,
    from_time: from,
    to_time: to,
    again: again ?? false,
    state: 'running',
    total,
    looked_at: 0,
    claimed: 0,
    cursor_time: null,
    cursor_id: null,
    error: null,
    created_at: timeOfEpochMs(deps.clock()),
    created_by: caller.actorName ?? null,
    finished_at: null,
  }
  await deps.relational.transaction(async (tx) => {
    await tx.execute(pg`select pg_advisory_xact_lock(hashtextextended(${`rule backfills ${ruleId}`}, 0))`)
    const open = await tx.$count(
      ruleBackfills,
      and(eq(ruleBackfills.rule_id, ruleId), inArray(ruleBackfills.state, OPEN_STATES)),
    )
    if (open >= MAX_OPEN_BACKFILLS) {
      throw new ApiError('CONFLICT', `At most ${MAX_OPEN_BACKFILLS} backfills of a rule are open. Cancel one first.`)
    }
    await tx.insert(ruleBackfills).values(row)
  })
  return present(row, 0)
}

/** Runs of a window that a rule would look at. */
export async function countMatches(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  scope: Scope,
  from: string,
  to: string,
): Promise<number> {
  try {
    const [row] = await analytics.query(
      sql`select count() as n from runs final where ${all([whereMatches(tenantId, scope), whereWindow(from, to)])}`,
      COUNT_ROW,
    )
    return row?.n ?? 0
  } catch (error) {
    if (error instanceof FilterError) throw new ApiError('INVALID_REQUEST', error.message)
    throw error
  }
}

/** Backfills of a rule, newest first. @throws ApiError NOT_FOUND */
export async function listBackfills(
  { relational: { db } }: BackfillDeps,
  tenantId: string,
  ruleId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ backfills: RuleBackfill[]; total: number }> {
  await getRule(db, tenantId, ruleId)
  const where = eq(ruleBackfills.rule_id, ruleId)
  const rows = await db
    .select()
    .from(ruleBackfills)
    .where(where)
    .orderBy(desc(ruleBackfills.created_at), desc(ruleBackfills.id))
    .offset(offset)
    .limit(limit)
  const open = await countOpen(
    db,
    rows.map(({ id }) => id),
  )
  return {
    backfills: rows.map((row) => present(row, open.get(row.id) ?? 0)),
    total: await db.$count(ruleBackfills, where),
  }
}

/** Pauses, resumes or cancels a backfill; what it has begun ends. @throws ApiError NOT_FOUND, CONFLICT */
export async function updateBackfill(
  { relational, clock }: BackfillDeps,
  tenantId: string,
  { ruleId, id }: { readonly ruleId: string; readonly id: string },
  { state }: RuleBackfillUpdate,
): Promise<RuleBackfill> {
  return relational.transaction(async (tx) => {
    const [row] = await tx
      .select()
      .from(ruleBackfills)
      .where(and(eq(ruleBackfills.tenant_id, tenantId), eq(ruleBackfills.rule_id, ruleId), eq(ruleBackfills.id, id)))
      .for('update')
    if (row === undefined) throw new ApiError('NOT_FOUND', 'Backfill not found')
    if (!OPEN_STATES.includes(row.state)) {
      throw new ApiError('CONFLICT', `The backfill has ended: it is ${row.state}. Start another one.`)
    }
    const change = { state, ...(state === 'canceled' && { finished_at: timeOfEpochMs(clock()) }) }
    await tx.update(ruleBackfills).set(change).where(eq(ruleBackfills.id, id))
    if (state === 'canceled') await deleteWaiting(tx, id)
    return present({ ...row, ...change }, (await countOpen(tx, [id])).get(id) ?? 0)
  })
}

async function countOpen(db: Database, ids: readonly string[]): Promise<Map<string | null, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: ruleClaims.backfill_id, n: count() })
    .from(ruleClaims)
    .where(and(inArray(ruleClaims.backfill_id, [...ids]), inArray(ruleClaims.state, ['waiting', 'running'])))
    .groupBy(ruleClaims.backfill_id)
  return new Map(rows.map(({ id, n }) => [id, n]))
}

function present(row: RuleBackfillRow, open: number): RuleBackfill {
  const { from_time: from, to_time: to, cursor_time: _, cursor_id: __, tenant_id: ___, ...shown } = row
  return { ...shown, from, to, open, progress: toProgress(row, open) }
}

/** Share of the matching runs that were looked at and are over; 1 only at the end, because runs may match later. */
function toProgress({ state, total, looked_at, claimed }: RuleBackfillRow, open: number): number {
  if (state === 'done') return 1
  if (total === 0) return 0
  const looked = Math.min(1, looked_at / total)
  return Math.min(0.999, looked * (claimed === 0 ? 1 : 1 - open / claimed))
}

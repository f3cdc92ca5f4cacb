import {
  ApiError,
  Budget,
  type BudgetCreate,
  BudgetScope,
  type BudgetSpend,
  type BudgetUpdate,
  MAX_BUDGETS,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, asc, eq, isNull, ne, or, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type BudgetRow, budgets } from '../../storage/relational/tables/alerts.ts'
import { assertChannels } from '../notifications/index.ts'
import { selectProjectIds } from '../projects/index.ts'
import { findPeriod } from './period.ts'
import { readSpend } from './spend.ts'

export type BudgetDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'> & {
  /** Holds back the deletion of a workspace until a transaction ends. @throws ApiError NOT_FOUND */
  lockWorkspace(tx: Database, tenantId: string): Promise<void>
}

const matches = (tenantId: string, id: string) => and(eq(budgets.tenant_id, tenantId), eq(budgets.id, id))

export const readScope = (row: Pick<BudgetRow, 'scope'>): BudgetScope => BudgetScope.parse(JSON.parse(row.scope))

export function presentBudget(row: BudgetRow): Budget {
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    is_enabled: row.is_enabled,
    scope: readScope(row),
    period: row.period,
    time_zone: row.time_zone,
    amount_usd: row.amount_usd,
    channel_ids: row.channel_ids,
    current: row.current_spend === null ? null : Budget.shape.current.parse(JSON.parse(row.current_spend)),
    created_at: row.created_at,
    modified_at: row.modified_at,
    created_by: row.created_by,
  }
}

/** A page of budgets by name, and their total number. */
export async function listBudgets(
  { relational: { db } }: BudgetDeps,
  tenantId: string,
  {
    project_id,
    offset,
    limit,
  }: { readonly project_id?: string | undefined; readonly offset: number; readonly limit: number },
): Promise<{ budgets: Budget[]; total: number }> {
  const where = and(
    eq(budgets.tenant_id, tenantId),
    project_id === undefined ? undefined : or(isNull(budgets.project_id), eq(budgets.project_id, project_id)),
  )
  const [total, rows] = await Promise.all([
    db.$count(budgets, where),
    db
      .select()
      .from(budgets)
      .where(where)
      .orderBy(asc(sql`lower(${budgets.name})`), asc(budgets.id))
      .offset(offset)
      .limit(limit),
  ])
  return { budgets: rows.map(presentBudget), total }
}

/** @throws ApiError NOT_FOUND */
export async function getBudget(db: Database, tenantId: string, id: string): Promise<BudgetRow> {
  const [row] = await db.select().from(budgets).where(matches(tenantId, id))
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Budget not found')
  return row
}

/** @throws ApiError CONFLICT for a name that is taken, RATE_LIMITED at the most budgets, INVALID_REQUEST */
export async function createBudget(deps: BudgetDeps, caller: Caller, given: BudgetCreate): Promise<Budget> {
  const { tenantId } = caller
  await assertNamed(deps, tenantId, given)
  const now = timeOfEpochMs(deps.clock())
  const row: BudgetRow = {
    id: deps.ids(),
    tenant_id: tenantId,
    name: given.name,
    is_enabled: given.is_enabled ?? true,
    ...toScopeColumns(given.scope),
    period: given.period,
    time_zone: given.time_zone,
    amount_usd: given.amount_usd,
    channel_ids: given.channel_ids,
    current_spend: null,
    notified: '{}',
    due_at: now,
    evaluator: null,
    evaluator_until: null,
    created_at: now,
    modified_at: now,
    created_by: caller.actorName ?? null,
  }
  return deps.relational.transaction(async (tx) => {
    await deps.lockWorkspace(tx, tenantId)
    await lockBudgets(tx, tenantId)
    await assertNameFree(tx, row)
    if ((await tx.$count(budgets, eq(budgets.tenant_id, tenantId))) >= MAX_BUDGETS) {
      throw new ApiError('RATE_LIMITED', `A workspace has at most ${MAX_BUDGETS} budgets. Delete one first.`)
    }
    await tx.insert(budgets).values(row)
    return presentBudget(row)
  })
}

/** @throws ApiError NOT_FOUND, CONFLICT, INVALID_REQUEST */
export async function updateBudget(
  deps: BudgetDeps,
  { tenantId }: Caller,
  id: string,
  given: BudgetUpdate,
): Promise<Budget> {
  await assertNamed(deps, tenantId, given)
  const now = timeOfEpochMs(deps.clock())
  return deps.relational.transaction(async (tx) => {
    await lockBudgets(tx, tenantId)
    const before = await getBudget(tx, tenantId, id)
    if (given.modified_at != null && given.modified_at !== before.modified_at) {
      throw new ApiError('CONFLICT', 'The budget was changed since you read it. Read it again.')
    }
    const scope = given.scope == null ? undefined : toScopeColumns(given.scope)
    const after: BudgetRow = {
      ...before,
      ...scope,
      name: given.name ?? before.name,
      is_enabled: given.is_enabled ?? before.is_enabled,
      period: given.period ?? before.period,
      time_zone: given.time_zone ?? before.time_zone,
      amount_usd: given.amount_usd ?? before.amount_usd,
      channel_ids: given.channel_ids ?? before.channel_ids,
      due_at: now,
      evaluator: null,
      evaluator_until: null,
      modified_at: now,
    }
    const isOther = (['scope', 'period', 'time_zone'] as const).some((name) => after[name] !== before[name])
    if (isOther || after.amount_usd !== before.amount_usd) after.notified = '{}'
    if (isOther) after.current_spend = null
    await assertNameFree(tx, after)
    await tx.update(budgets).set(after).where(matches(tenantId, id))
    return presentBudget(after)
  })
}

/** @throws ApiError NOT_FOUND */
export async function deleteBudget({ relational: { db } }: BudgetDeps, tenantId: string, id: string): Promise<void> {
  const deleted = await db.delete(budgets).where(matches(tenantId, id)).returning({ id: budgets.id })
  if (deleted.length === 0) throw new ApiError('NOT_FOUND', 'Budget not found')
}

/** Budgets of projects end with them. */
export async function deleteBudgetsOfProjects(tx: Database, tenantId: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await tx.delete(budgets).where(and(eq(budgets.tenant_id, tenantId), eq(budgets.project_id, id)))
  }
}

/** Spend of the last periods, oldest first. @throws ApiError NOT_FOUND */
export async function readHistory(
  deps: BudgetDeps,
  tenantId: string,
  id: string,
  periods: number,
): Promise<BudgetSpend[]> {
  const row = await getBudget(deps.relational.db, tenantId, id)
  const now = deps.clock()
  const spends: BudgetSpend[] = []
  for (let back = periods - 1; back >= 0; back--) {
    const span = findPeriod(row.period, row.time_zone, now, back)
    spends.push(await readSpend(deps, tenantId, readScope(row), span))
  }
  return spends
}

const toScopeColumns = (scope: BudgetScope) => ({
  scope: JSON.stringify(scope),
  project_id: scope.kind === 'project' ? scope.project_id : null,
})

async function lockBudgets(tx: Database, tenantId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`budgets ${tenantId}`}, 0))`)
}

async function assertNameFree(tx: Database, { tenant_id, id, name }: BudgetRow): Promise<void> {
  const taken = await tx.$count(
    budgets,
    and(eq(budgets.tenant_id, tenant_id), eq(budgets.name, name), ne(budgets.id, id)),
  )
  if (taken > 0) throw new ApiError('CONFLICT', `There is already a budget named "${name}".`)
}

/** @throws ApiError INVALID_REQUEST for a project or a channel that does not exist */
async function assertNamed(
  { relational: { db } }: BudgetDeps,
  tenantId: string,
  { scope, channel_ids }: Pick<BudgetUpdate, 'scope' | 'channel_ids'>,
): Promise<void> {
  if (scope?.kind === 'project') {
    const known = await selectProjectIds(db, tenantId, { ids: [scope.project_id] })
    if (known.length === 0) throw new ApiError('INVALID_REQUEST', 'scope.project_id: Project not found')
  }
  const channel = channel_ids == null ? undefined : await assertChannels(db, tenantId, channel_ids)
  if (channel !== undefined) {
    throw new ApiError('INVALID_REQUEST', `channel_ids: Notification channel ${channel} not found`)
  }
}

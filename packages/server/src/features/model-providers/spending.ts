import { ApiError, type Spending, type SpendingLimitsUpdate, timeOfEpochMs } from '@touchstone/contract'
import { and, eq, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { ModelEvent } from '../../models/index.ts'
import { assertExpected } from '../../storage/relational/expected.ts'
import type { Database } from '../../storage/relational/port.ts'
import { spending, spendingLimits } from '../../storage/relational/tables/spending.ts'
import { getProvider } from './providers.ts'
import { selectProviders } from './store.ts'

export type SpendingDeps = Pick<Deps, 'relational' | 'clock' | 'log'>

/** A call whose cost is reserved before it is made. */
export interface PlannedSpending {
  readonly tenantId: string
  readonly providerId: string
  /** US dollars; null when the model has no price. */
  readonly estimate: number | null
}

export interface ReservedSpending {
  /**
   * Replaces the estimate. If it is never called, because the process died, the estimate stays counted. Failures of the
   * database are logged: the call is over.
   */
  settle(end: SpentEnd): Promise<void>
}

/** How a call ended, with its cost in US dollars as far as it is known. */
export interface SpentEnd {
  readonly end: Pick<Extract<ModelEvent, { type: 'done' | 'failed' }>, 'reply'> & {
    readonly problem?: { readonly code: string } | undefined
  }
  readonly cost: number | null
}

/** Stands for the whole workspace in `spending_limits`. */
const WORKSPACE = '00000000-0000-0000-0000-000000000000'
const UNPRICED_CALL_USD = 0.01

/**
 * Reserves the cost of a call in the sums of its month, unless that exceeds a limit. The rows of the limits are locked, so
 * that calls of several processes are counted one after the other.
 *
 * @throws ApiError SPENDING_LIMIT
 */
export async function reserveSpending(deps: SpendingDeps, planned: PlannedSpending): Promise<ReservedSpending> {
  const { tenantId, providerId } = planned
  const { key, reserved } = await deps.relational.transaction(async (tx) => {
    const { amount, month } = await assertWithinLimits(tx, deps.clock, planned)
    const key = { tenantId, providerId, month }
    await add(tx, key, { usd: amount, calls: 1, unknown: 0 })
    return { key, reserved: amount }
  })
  return {
    async settle(ended) {
      const usd = toSpent(ended)
      const change =
        usd === undefined ? { usd: 0, calls: 0, unknown: 1 } : { usd: usd - reserved, calls: 0, unknown: 0 }
      try {
        await add(deps.relational.db, key, change)
      } catch (error) {
        deps.log.warn({ err: error, ...key }, 'the cost of a call could not be counted; its estimate stays counted')
      }
    },
  }
}

/** Whether a call may be made now; nothing is reserved. @throws ApiError SPENDING_LIMIT */
export async function assertMaySpend(deps: SpendingDeps, planned: PlannedSpending): Promise<void> {
  await assertWithinLimits(deps.relational.db, deps.clock, planned)
}

/** @returns the US dollars that the call is assumed to cost, and the month in which they count */
async function assertWithinLimits(
  db: Database,
  clock: () => number,
  { tenantId, providerId, estimate }: PlannedSpending,
): Promise<{ readonly amount: number; readonly month: string }> {
  const limits = await db
    .select()
    .from(spendingLimits)
    .where(eq(spendingLimits.tenant_id, tenantId))
    .orderBy(spendingLimits.provider_id)
    .for('update')
  // Read once, after the wait for the locks: a month may have begun in the meantime.
  const nowMs = clock()
  const month = toMonth(nowMs)
  const ofWorkspace = limits.find(({ provider_id }) => provider_id === WORKSPACE)
  const amount = Math.max(0, estimate ?? Number(ofWorkspace?.unpriced_call_usd ?? UNPRICED_CALL_USD))
  const due = limits.filter(
    ({ provider_id, limit_usd }) => limit_usd !== null && (provider_id === WORKSPACE || provider_id === providerId),
  )
  if (due.length === 0) return { amount, month }
  const sums = await selectSums(db, tenantId, month)
  for (const { provider_id, limit_usd } of due) {
    const limit = Number(limit_usd)
    const spent = sums.reduce(
      (sum, row) => (provider_id === WORKSPACE || row.provider_id === provider_id ? sum + Number(row.spent_usd) : sum),
      0,
    )
    // A limit of 0 also stops what costs nothing.
    if (spent + amount <= limit && spent < limit) continue
    const name = provider_id === WORKSPACE ? undefined : await findName(db, tenantId, provider_id)
    throw aRefusal({ name, limit, spent, amount, nowMs })
  }
  return { amount, month }
}

interface Refused {
  /** Of the provider; undefined for the workspace. */
  readonly name: string | undefined
  readonly limit: number
  readonly spent: number
  readonly amount: number
  readonly nowMs: number
}

function aRefusal({ name, limit, spent, amount, nowMs }: Refused): ApiError {
  const resetsAt = nextMonthMs(nowMs)
  const whose = name === undefined ? 'the workspace' : `the provider "${name}"`
  const day = timeOfEpochMs(resetsAt).slice(0, 10)
  const message =
    `The monthly limit of ${whose} does not allow this call: ${printUsd(spent)} of ${printUsd(limit)} are spent, and it ` +
    `may cost ${printUsd(amount)}. The limit resets on ${day} at 00:00 UTC; an admin can raise it on the Spending page of the settings.`
  return new ApiError('SPENDING_LIMIT', message)
}

/** Cents, and more digits for what is less. */
function printUsd(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${Number(usd.toPrecision(2))}` : `$${usd.toFixed(2)}`
}

/** Failures after which a provider may have worked all the same. */
export const MAY_COST: ReadonlySet<string> = new Set(['timeout', 'cut_off', 'cancelled', 'too_large', 'invalid_reply'])

/** US dollars; undefined when it cost something unknown, so that its estimate holds. */
function toSpent({ end, cost }: SpentEnd): number | undefined {
  if (cost !== null) return Math.max(0, cost)
  const isRefused = (end.reply?.status ?? 0) >= 300
  if (end.problem !== undefined && (isRefused || !MAY_COST.has(end.problem.code))) return 0
  return undefined
}

interface Key {
  readonly tenantId: string
  readonly providerId: string
  readonly month: string
}

interface Change {
  readonly usd: number
  readonly calls: number
  readonly unknown: number
}

async function add(db: Database, { tenantId, providerId, month }: Key, { usd, calls, unknown }: Change): Promise<void> {
  // Exponents of small numbers are valid numerics.
  const amount = String(usd)
  await db
    .insert(spending)
    .values({
      tenant_id: tenantId,
      provider_id: providerId,
      month,
      spent_usd: usd > 0 ? amount : '0',
      calls,
      unknown_calls: unknown,
    })
    .onConflictDoUpdate({
      target: [spending.tenant_id, spending.month, spending.provider_id],
      set: {
        spent_usd: sql`greatest(0, ${spending.spent_usd} + ${amount}::numeric)`,
        calls: sql`${spending.calls} + ${calls}`,
        unknown_calls: sql`${spending.unknown_calls} + ${unknown}`,
      },
    })
}

function selectSums(db: Database, tenantId: string, month: string) {
  return db
    .select()
    .from(spending)
    .where(and(eq(spending.tenant_id, tenantId), eq(spending.month, month)))
}

async function findName(db: Database, tenantId: string, providerId: string): Promise<string> {
  return (await selectProviders(db, tenantId)).find(({ id }) => id === providerId)?.name ?? providerId
}

/** What was spent this month, and the limits, of the workspace and of each provider. */
export async function readSpending({ relational: { db }, clock }: SpendingDeps, tenantId: string): Promise<Spending> {
  const nowMs = clock()
  const month = toMonth(nowMs)
  const providers = await selectProviders(db, tenantId)
  const sums = await selectSums(db, tenantId, month)
  const limits = await db.select().from(spendingLimits).where(eq(spendingLimits.tenant_id, tenantId))
  const present = (id: string, rows: typeof sums) => {
    const limit = limits.find(({ provider_id }) => provider_id === id)?.limit_usd ?? null
    return {
      limit_usd: limit === null ? null : Number(limit),
      spent_usd: rows.reduce((sum, row) => sum + Number(row.spent_usd), 0),
      calls: rows.reduce((sum, row) => sum + row.calls, 0),
      unknown_calls: rows.reduce((sum, row) => sum + row.unknown_calls, 0),
    }
  }
  const known = new Set(providers.map(({ id }) => id))
  const gone = sums.filter(({ provider_id }) => !known.has(provider_id))
  return {
    month,
    resets_at: timeOfEpochMs(nextMonthMs(nowMs)),
    workspace: present(WORKSPACE, sums),
    providers: [...providers, ...gone.map(({ provider_id: id }) => ({ id, name: null }))].map(({ id, name }) => ({
      provider_id: id,
      name,
      ...present(
        id,
        sums.filter(({ provider_id }) => provider_id === id),
      ),
    })),
    unpriced_call_usd: Number(
      limits.find(({ provider_id }) => provider_id === WORKSPACE)?.unpriced_call_usd ?? UNPRICED_CALL_USD,
    ),
  }
}

/** @throws ApiError NOT_FOUND for an unknown provider, CONFLICT when an expected limit was changed */
export async function setSpendingLimits(
  deps: SpendingDeps,
  tenantId: string,
  { workspace_usd, providers_usd = {}, unpriced_call_usd, expected }: SpendingLimitsUpdate,
): Promise<Spending> {
  await deps.relational.transaction(async (tx) => {
    // A limit that is not set has no row that could be locked.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`spending limits ${tenantId}`}, 0))`)
    if (expected != null) await assertExpectedLimits(tx, tenantId, expected)
    const set = async (provider_id: string, values: { limit_usd?: string | null; unpriced_call_usd?: string }) => {
      const row = { ...values, updated_at: timeOfEpochMs(deps.clock()) }
      await tx
        .insert(spendingLimits)
        .values({ tenant_id: tenantId, provider_id, ...row })
        .onConflictDoUpdate({ target: [spendingLimits.tenant_id, spendingLimits.provider_id], set: row })
    }
    if (workspace_usd !== undefined || unpriced_call_usd !== undefined) {
      await set(WORKSPACE, {
        ...(workspace_usd !== undefined && { limit_usd: toText(workspace_usd) }),
        ...(unpriced_call_usd !== undefined && { unpriced_call_usd: String(unpriced_call_usd) }),
      })
    }
    // In the order in which calls lock them.
    const sorted = Object.entries(providers_usd).sort(([one], [other]) =>
      one.toLowerCase() < other.toLowerCase() ? -1 : 1,
    )
    for (const [id, usd] of sorted) {
      await getProvider(tx, tenantId, id)
      await set(id, { limit_usd: toText(usd) })
    }
  })
  return readSpending(deps, tenantId)
}

async function assertExpectedLimits(
  tx: Database,
  tenantId: string,
  { workspace_usd, providers_usd = {}, unpriced_call_usd }: NonNullable<SpendingLimitsUpdate['expected']>,
): Promise<void> {
  const limits = await tx.select().from(spendingLimits).where(eq(spendingLimits.tenant_id, tenantId))
  const stored = new Map(limits.map((limit) => [limit.provider_id, limit]))
  const toLimit = (id: string) => toNumber(stored.get(id)?.limit_usd ?? null)
  const ids = Object.keys(providers_usd)
  assertExpected(
    'A limit',
    { workspace_usd, unpriced_call_usd, ...providers_usd },
    {
      workspace_usd: toLimit(WORKSPACE),
      unpriced_call_usd: toNumber(stored.get(WORKSPACE)?.unpriced_call_usd ?? null) ?? UNPRICED_CALL_USD,
      ...Object.fromEntries(ids.map((id) => [id, toLimit(id.toLowerCase())])),
    },
  )
}

const toNumber = (decimal: string | null) => (decimal === null ? null : Number(decimal))

const toText = (usd: number | null) => (usd === null ? null : String(usd))

const toMonth = (nowMs: number) => timeOfEpochMs(nowMs).slice(0, 7)

function nextMonthMs(nowMs: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
}

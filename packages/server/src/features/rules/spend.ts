import type { RuleSpend, RuleSpendLimit } from '@touchstone/contract'
import { timeOfEpochMs } from '@touchstone/contract'
import { and, asc, eq, gte, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Database } from '../../storage/relational/port.ts'
import { ruleSpend, rules } from '../../storage/relational/tables/rules.ts'
import { type RuleNoticeDeps, sendRuleNotice } from './notices.ts'

type SpendDeps = Pick<Deps, 'relational' | 'clock' | 'log'> & RuleNoticeDeps

const DAY_MS = 86_400_000

/** Calendar day or ISO week in UTC. */
export function toWindow(window: RuleSpendLimit['window'], nowMs: number) {
  const day = Math.floor(nowMs / DAY_MS) * DAY_MS
  if (window === 'day') return { startMs: day, endMs: day + DAY_MS }
  // 1 January 1970 was a Thursday; weeks begin on Monday.
  const monday = day - ((day / DAY_MS + 3) % 7) * DAY_MS
  return { startMs: monday, endMs: monday + 7 * DAY_MS }
}

const toDay = (ms: number): string => timeOfEpochMs(ms).slice(0, 10)

export type Reserved =
  | {
      /** Replaces the estimate by what the call has cost; null when that is unknown, so that the estimate stays. */
      settle(cost: number | null): Promise<void>
    }
  | { readonly limitedUntilMs: number; readonly message: string }

interface Planned {
  readonly ruleId: string
  readonly tenantId: string
  readonly limit: RuleSpendLimit | null
  /** US dollars of the call; null when the model has no price. */
  readonly estimate: number | null
}

/**
 * Counts a call before it is made, unless that exceeds the limit of the rule. Calls of several processes are counted one
 * after the other. If it is never settled, because the process died, the estimate stays counted.
 */
export async function reserveRuleSpend(
  deps: SpendDeps,
  { ruleId, tenantId, limit, estimate }: Planned,
): Promise<Reserved> {
  const amount = Math.max(0, estimate ?? 0)
  const isUnpriced = estimate === null
  const day = await deps.relational.transaction(async (tx) => {
    if (limit !== null) {
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`rule spend ${ruleId}`}, 0))`)
    }
    // Read after the wait for the lock: a window may have begun in the meantime.
    const nowMs = deps.clock()
    if (limit !== null) {
      const { startMs, endMs } = toWindow(limit.window, nowMs)
      const { usd } = sum(await selectDays(tx, ruleId, toDay(startMs)))
      const isOver = usd + amount > limit.limit_usd || usd >= limit.limit_usd
      await sendSpendNotices(deps, tx, {
        ruleId,
        limit,
        before: usd,
        after: isOver ? limit.limit_usd : usd + amount,
        startMs,
      })
      if (isOver) return { endMs, usd }
    }
    const day = toDay(nowMs)
    await add(tx, { ruleId, tenantId, day }, { usd: amount, calls: 1, unpriced: isUnpriced ? 1 : 0 })
    return day
  })
  if (typeof day === 'object') {
    const limitUsd = limit?.limit_usd ?? 0
    const until = timeOfEpochMs(day.endMs).slice(0, 10)
    const message =
      `The rule has spent $${day.usd.toFixed(2)} of $${limitUsd.toFixed(2)}, and this call may cost ` +
      `$${amount.toPrecision(2)}. The limit resets on ${until} at 00:00 UTC; it can be raised in the settings of the rule.`
    return { limitedUntilMs: day.endMs, message }
  }
  return {
    async settle(cost) {
      if (cost === null || cost === amount) return
      try {
        await add(deps.relational.db, { ruleId, tenantId, day }, { usd: cost - amount, calls: 0, unpriced: 0 })
      } catch (error) {
        deps.log.warn(
          { err: error, rule: ruleId },
          'the cost of a call could not be counted; its estimate stays counted',
        )
      }
    },
  }
}

/** Percent of a limit at which a notice is sent. */
const STEPS = [80, 100]

interface Spent {
  readonly ruleId: string
  readonly limit: RuleSpendLimit
  /** US dollars of the window. */
  readonly before: number
  readonly after: number
  readonly startMs: number
}

/** One notice for each step and window. */
async function sendSpendNotices(
  deps: SpendDeps,
  tx: Database,
  { ruleId, limit, before, after, startMs }: Spent,
): Promise<void> {
  const usd = (percent: number) => (limit.limit_usd * percent) / 100
  const step = STEPS.findLast((percent) => after >= usd(percent) && (before < usd(percent) || percent === 100))
  if (step === undefined) return
  const [rule] = await tx.select().from(rules).where(eq(rules.id, ruleId))
  if (rule === undefined) return
  const spent = `${step} % of its limit of $${limit.limit_usd.toFixed(2)} a ${limit.window}`
  await sendRuleNotice(deps, tx, rule, {
    key: `rule:${ruleId}:spend:${rule.version}:${toDay(startMs)}:${step}`,
    incident: `rule:${ruleId}:spend:${toDay(startMs)}`,
    severity: step === 100 ? 'critical' : 'warning',
    title: `The rule "${rule.name}" has spent ${step} % of its limit`,
    text: `The evaluators of the rule have spent ${spent}.${step === 100 ? ' It makes no calls until the next one.' : ''}`,
    body: { state: 'spend', percent: step, limit_usd: limit.limit_usd, window: limit.window },
  })
}

interface Key {
  readonly ruleId: string
  readonly tenantId: string
  readonly day: string
}

async function add(
  db: Database,
  { ruleId, tenantId, day }: Key,
  { usd, calls, unpriced }: { readonly usd: number; readonly calls: number; readonly unpriced: number },
): Promise<void> {
  const amount = String(usd)
  await db
    .insert(ruleSpend)
    .values({
      rule_id: ruleId,
      tenant_id: tenantId,
      day,
      spent_usd: usd > 0 ? amount : '0',
      calls,
      unpriced_calls: unpriced,
    })
    .onConflictDoUpdate({
      target: [ruleSpend.rule_id, ruleSpend.day],
      set: {
        spent_usd: sql`greatest(0, ${ruleSpend.spent_usd} + ${amount}::numeric)`,
        calls: sql`${ruleSpend.calls} + ${calls}`,
        unpriced_calls: sql`${ruleSpend.unpriced_calls} + ${unpriced}`,
      },
    })
}

const selectDays = (db: Database, ruleId: string, from: string) =>
  db
    .select()
    .from(ruleSpend)
    .where(and(eq(ruleSpend.rule_id, ruleId), gte(ruleSpend.day, from)))
    .orderBy(asc(ruleSpend.day))

function sum(rows: Awaited<ReturnType<typeof selectDays>>) {
  return {
    usd: rows.reduce((all, { spent_usd }) => all + Number(spent_usd), 0),
    calls: rows.reduce((all, { calls }) => all + calls, 0),
    unpriced: rows.reduce((all, { unpriced_calls }) => all + unpriced_calls, 0),
  }
}

/** Days of `RuleSpend`. */
const SHOWN_DAYS = 30

/** What a rule has spent in the window of its limit, and by day. */
export async function readRuleSpend(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  ruleId: string,
  limit: RuleSpendLimit | null,
): Promise<RuleSpend> {
  const nowMs = clock()
  const window = limit?.window ?? 'week'
  const { startMs, endMs } = toWindow(window, nowMs)
  const days = await selectDays(relational.db, ruleId, toDay(nowMs - (SHOWN_DAYS - 1) * DAY_MS))
  const within = sum(days.filter(({ day }) => day >= toDay(startMs)))
  return {
    window,
    starts_at: timeOfEpochMs(startMs),
    resets_at: timeOfEpochMs(endMs),
    limit_usd: limit?.limit_usd ?? null,
    spent_usd: within.usd,
    calls: within.calls,
    unpriced_calls: within.unpriced,
    days: days.map(({ day, spent_usd, calls, unpriced_calls }) => ({
      day,
      spent_usd: Number(spent_usd),
      calls,
      unpriced_calls,
    })),
  }
}

import { timeOfEpochMs } from '@touchstone/contract'
import { and, eq, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { type BudgetRow, budgets } from '../../storage/relational/tables/alerts.ts'
import { type NoticeDeps, sendNotice } from '../notifications/index.ts'
import { readScope } from './budgets.ts'
import { measureBudget } from './measure-budget.ts'
import { findPeriod } from './period.ts'
import { readSpend } from './spend.ts'

const TICK_MS = 1_000
const EVERY_MS = 60_000
const LEASE_MS = 60_000
const AT_ONCE = 50

export type BudgetEngineDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids' | 'log'> & NoticeDeps

/** Reads the spend of budgets each minute and tells what they reached, until it is closed. */
export class BudgetEngine {
  readonly #holder: string
  /** The moment of the changes at which the spend of a budget was read. */
  readonly #read = new Map<string, number>()
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(readonly deps: BudgetEngineDeps) {
    this.#holder = deps.ids()
  }

  start(): void {
    if (this.#closing.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#turn = this.#tick().then(() => this.start())
    }, TICK_MS)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    await this.#turn
  }

  async #tick(): Promise<void> {
    try {
      for (const row of await this.#take()) {
        if (this.#closing.signal.aborted) return
        await this.#measure(row).catch(async (error: unknown) => {
          // The others go on, also those that are due later.
          this.deps.log.warn(
            { err: error, budget: row.id },
            'a budget could not be read; it is tried again in a minute',
          )
          await this.#setAside(row)
        })
      }
    } catch (error) {
      this.deps.log.warn({ err: error }, 'budgets could not be read; they are tried again')
    }
  }

  async #setAside({ id }: BudgetRow): Promise<void> {
    const { relational, clock } = this.deps
    await relational.db
      .update(budgets)
      .set({ due_at: timeOfEpochMs(clock() + EVERY_MS), evaluator: null, evaluator_until: null })
      .where(and(eq(budgets.id, id), eq(budgets.evaluator, this.#holder)))
  }

  async #take(): Promise<BudgetRow[]> {
    const { relational, clock } = this.deps
    const now = timeOfEpochMs(clock())
    const isDue = sql`is_enabled and due_at <= ${now}::timestamptz`
    const [any] = await relational.db.select({ id: budgets.id }).from(budgets).where(isDue).limit(1)
    if (any === undefined) return []
    const due = sql`
      select id from budgets
      where ${isDue} and (evaluator is null or evaluator = ${this.#holder}::uuid or evaluator_until < ${now}::timestamptz)
      order by due_at limit ${AT_ONCE} for update skip locked`
    return relational.transaction((tx) =>
      tx
        .update(budgets)
        .set({ evaluator: this.#holder, evaluator_until: timeOfEpochMs(clock() + LEASE_MS) })
        .where(sql`id in (${due})`)
        .returning(),
    )
  }

  async #measure(row: BudgetRow): Promise<void> {
    const { relational, clock } = this.deps
    const nowMs = clock()
    const span = findPeriod(row.period, row.time_zone, nowMs)
    const moment = this.deps.analytics.changes?.now
    const spend =
      this.#findUnchanged(row, span.from) ?? (await readSpend(this.deps, row.tenant_id, readScope(row), span))
    const { current, notified, notices } = measureBudget(row, spend, span, nowMs)
    await relational.transaction(async (tx) => {
      const stored = await tx
        .update(budgets)
        .set({
          current_spend: JSON.stringify(current),
          notified: JSON.stringify(notified),
          due_at: timeOfEpochMs(nowMs + EVERY_MS),
          evaluator: null,
          evaluator_until: null,
        })
        .where(
          and(eq(budgets.id, row.id), eq(budgets.modified_at, row.modified_at), eq(budgets.evaluator, this.#holder)),
        )
        .returning({ id: budgets.id })
      if (stored.length === 0) return
      for (const notice of notices) await sendNotice(this.deps, tx, row.tenant_id, row.channel_ids, notice)
    })
    if (moment !== undefined) this.#read.set(row.id, moment)
    if (notices.length > 0) this.deps.noticeDeliveries.begin()
  }

  /** The spend that is stored, when no run was written since it was read. */
  #findUnchanged(row: BudgetRow, from: number) {
    const moment = this.#read.get(row.id)
    const { changes } = this.deps.analytics
    if (moment === undefined || changes === undefined || row.current_spend === null) return undefined
    if (changes.isChanged('runs', moment)) return undefined
    const stored = JSON.parse(row.current_spend)
    if (stored.period_start !== timeOfEpochMs(from)) return undefined
    const { period_start, period_end, spent_usd, calls, unpriced_calls } = stored
    return { period_start, period_end, spent_usd, calls, unpriced_calls }
  }
}

import { type AlertDefinition, ApiError, FilterError, stepSecondsOf, timeOfEpochMs } from '@touchstone/contract'
import { and, eq } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { readEngineCode } from '../../../storage/analytics/store-failure.ts'
import { type AlertRow, alerts } from '../../../storage/relational/tables/alerts.ts'
import type { NoticeDeps } from '../../notifications/index.ts'
import { readErrors } from '../../runs/stats/index.ts'
import { commitProgress, type Largest } from '../commit.ts'
import { type Baselines, type Evaluated, evaluate } from '../evaluate.ts'
import { toPointRows } from '../point-store.ts'
import { measureWindows, toMeasure } from '../points.ts'
import { readDefinition } from '../present.ts'
import { BEHIND_MS, lastEnd, presentPoint } from '../preview.ts'
import { type Replayed, replay } from '../replay.ts'
import { type Progress, step } from '../state/machine.ts'
import { toPolicy } from '../state/policy.ts'
import { type DueAlert, type Settled, settle, takeDue } from './due.ts'
import { QuietProjects } from './quiet-projects.ts'

/** How often due alerts are taken. */
const TICK_MS = 1_000
/** Alerts that are taken at once. */
const AT_ONCE = 250
/** Queries under way. */
const QUERIES_AT_ONCE = 4
/** How far back evaluations are made up for, after the server stood still. Seconds. */
const MAX_CATCH_UP = 3_600
/** Until an alert that cannot be read is tried again. */
const SET_ASIDE_MS = 60_000
/** Failures in a row after which an alert is broken; until then the store may only be busy. */
const MAX_FAILURES = 5

export type AlertEngineDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids' | 'config' | 'log'> & NoticeDeps

/** An alert after its evaluations, before it is stored. */
interface Outcome {
  readonly row: AlertRow
  readonly definition: AlertDefinition
  readonly evaluated: readonly Evaluated[]
  readonly replayed: Replayed
  readonly settled: Settled
}

/** Evaluates alerts until it is closed. Everything that it needs is stored; several processes share the work by leases. */
export class AlertEngine {
  readonly #holder: string
  readonly #quiet: QuietProjects
  readonly #baselines = new Map<string, Baselines>()
  readonly #failures = new Map<string, number>()
  readonly #definitions = new Map<string, AlertDefinition>()
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(readonly deps: AlertEngineDeps) {
    this.#holder = deps.ids()
    this.#quiet = new QuietProjects(deps)
  }

  start(): void {
    if (this.#closing.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#turn = this.tick().then(() => this.start())
    }, TICK_MS)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    await this.#turn
  }

  /** Evaluates what is due. */
  async tick(): Promise<void> {
    try {
      let taken: DueAlert[]
      do {
        taken = await takeDue(this.deps, this.#holder, AT_ONCE)
        await this.#work(taken)
      } while (taken.length === AT_ONCE && !this.#closing.signal.aborted)
    } catch (error) {
      this.deps.log.warn({ err: error }, 'alerts could not be evaluated; they are tried again')
    }
  }

  async #work(taken: readonly DueAlert[]): Promise<void> {
    if (taken.length === 0) return
    await this.#quiet.look(taken.map(({ row }) => row))
    const waiting = [...taken]
    const outcomes: Outcome[] = []
    const shared: Shared = new Map()
    const worker = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (this.#closing.signal.aborted) return
        const { row } = next
        const outcome = await this.#evaluate(next, shared).catch((error: unknown) => this.#setAside(row, error))
        if (outcome !== undefined) outcomes.push(outcome)
      }
    }
    await Promise.all(Array.from({ length: QUERIES_AT_ONCE }, worker))
    await this.#store(outcomes)
  }

  /** An alert that cannot even be read does not hold up the others. */
  async #setAside({ id, version }: AlertRow, error: unknown): Promise<undefined> {
    this.deps.log.warn({ err: error, alert: id }, 'an alert cannot be read; it is tried again in a minute')
    const nowMs = this.deps.clock()
    await this.deps.relational.db
      .update(alerts)
      .set({
        state: 'broken',
        state_since: timeOfEpochMs(nowMs),
        broken_reason: 'This server cannot read its definition. Save the alert again.',
        due_at: timeOfEpochMs(nowMs + SET_ASIDE_MS),
        evaluator: null,
        evaluator_until: null,
      })
      .where(and(eq(alerts.id, id), eq(alerts.version, version)))
  }

  async #evaluate({ row, isAcknowledged }: DueAlert, shared: Shared): Promise<Outcome> {
    const nowMs = this.deps.clock()
    const definition = this.#definitionOf(row)
    const size = stepSecondsOf(definition)
    const to = lastEnd(nowMs, size)
    const from = (Math.floor(Math.max(row.evaluated_to, to - MAX_CATCH_UP) / size) + 1) * size
    const policy = toPolicy(definition, {
      muteUntilMs: row.mute_until === null ? null : Date.parse(row.mute_until),
      isAcknowledged,
    })
    const progress = JSON.parse(row.progress) as Progress
    const dueMs = Math.max(to + size, from) * 1000 + BEHIND_MS
    const settled = {
      ...row,
      evaluatedFrom: row.evaluated_to,
      evaluated_at: timeOfEpochMs(nowMs),
      due_at: timeOfEpochMs(dueMs),
    }
    const idle = { progress, notified: [], ended: [], peaks: new Map() }
    if (from > to)
      return { row, definition, evaluated: [], replayed: idle, settled: { ...settled, evaluated_at: row.evaluated_at } }
    try {
      const { evaluated, notice } = await this.#read(row, definition, { from, to }, shared)
      this.#failures.delete(row.id)
      const replayed = replay(progress, policy, definition, evaluated, Date.parse(row.watched_since))
      const last = evaluated.at(-1)
      return {
        row: { ...row, broken_reason: null },
        definition,
        evaluated,
        replayed,
        settled: {
          ...settled,
          ...toColumns(replayed.progress),
          broken_reason: null,
          notice,
          last_point: last === undefined ? row.last_point : JSON.stringify(presentPoint(last)),
          evaluated_to: to,
        },
      }
    } catch (error) {
      const reason = this.#toReason(row, error)
      if (reason === undefined) return { row, definition, evaluated: [], replayed: idle, settled }
      const { progress: after, notified } = step(progress, policy, { at: to * 1000, broken: reason })
      return {
        row: { ...row, broken_reason: reason },
        definition,
        evaluated: [],
        replayed: { ...idle, progress: after, notified: notified === null ? [] : [notified] },
        settled: { ...settled, ...toColumns(after), broken_reason: reason },
      }
    }
  }

  /** Versions never change, and reading one parses its filters. */
  #definitionOf(row: AlertRow): AlertDefinition {
    const key = `${row.id} ${row.version} ${row.project_ids.length}`
    const known = this.#definitions.get(key)
    if (known !== undefined) return known
    const read = readDefinition(row)
    this.#definitions.set(key, read)
    if (this.#definitions.size > MAX_DEFINITIONS) this.#definitions.delete([...this.#definitions.keys()][0]!)
    return read
  }

  /** Undefined while the next try may succeed. */
  #toReason(row: AlertRow, error: unknown): string | undefined {
    if (error instanceof FilterError) return `Its filter cannot be read: ${error.message} Change the alert.`
    // A query that was stopped is none that cannot be made: the store may be busy.
    const isStopped = error instanceof ApiError && readEngineCode(error.cause) !== undefined
    if (error instanceof ApiError && error.code === 'INVALID_REQUEST' && !isStopped)
      return `${error.message} Change the alert.`
    const failures = (this.#failures.get(row.id) ?? 0) + 1
    this.#failures.set(row.id, failures)
    this.deps.log.warn({ err: error, alert: row.id, failures }, 'an alert could not be evaluated; it is tried again')
    const message = error instanceof Error ? error.message : String(error)
    return failures < MAX_FAILURES ? undefined : `The store does not answer its query: ${message.slice(0, 500)}`
  }

  /** Evaluates, or repeats the last evaluation while nothing can be different. Alerts that measure the same share a query. */
  async #read(row: AlertRow, definition: AlertDefinition, { from, to }: Ends, shared: Shared) {
    if (definition.project_ids.length === 0) {
      throw new ApiError('INVALID_REQUEST', 'All of its projects were deleted.')
    }
    const same = from === to ? this.#quiet.find(row, definition, to) : undefined
    if (same !== undefined) return { evaluated: [same], notice: row.notice }
    const moment = this.#quiet.moment
    const baselines = this.#baselinesOf(row, definition)
    const key = JSON.stringify([row.tenant_id, from, to, measured(definition)])
    const known = shared.get(key)
    const read = known ?? evaluate(this.deps, row.tenant_id, definition, { from, to, ...(baselines && { baselines }) })
    if (known === undefined) shared.set(key, read)
    const found = await read
    const last = found.evaluated.at(-1)
    if (last !== undefined) this.#quiet.keep(row, last, moment)
    return found
  }

  #baselinesOf({ id, version }: AlertRow, { kind }: AlertDefinition): Baselines | undefined {
    if (kind !== 'anomaly') return undefined
    const key = `${id} ${version}`
    const known = this.#baselines.get(key)
    if (known !== undefined) return known
    const made: Baselines = new Map()
    this.#baselines.set(key, made)
    if (this.#baselines.size > MAX_BASELINES) this.#baselines.delete([...this.#baselines.keys()][0]!)
    return made
  }

  /** Points first: they may be written twice. Then the states, and each alert with news in a transaction of its own. */
  async #store(outcomes: readonly Outcome[]): Promise<void> {
    const points = outcomes.flatMap(({ row, evaluated }) => toPointRows(row, evaluated))
    if (points.length > 0) {
      await this.deps.analytics.insert('alert_points', points).catch((error: unknown) => {
        // The history has a gap; states and notices go on.
        this.deps.log.warn({ err: error, points: points.length }, 'points of alerts could not be stored')
      })
    }
    const hasNews = ({ row, replayed: { progress, notified, ended } }: Outcome) =>
      notified.length > 0 ||
      ended.length > 0 ||
      JSON.stringify(progress.episode) !== JSON.stringify((JSON.parse(row.progress) as Progress).episode)
    const plain = outcomes.filter((one) => !hasNews(one))
    await settle(
      this.deps.relational.db,
      this.#holder,
      plain.map(({ settled }) => settled),
    )
    for (const outcome of outcomes) {
      if (!hasNews(outcome)) continue
      try {
        await this.#storeNews(outcome)
      } catch (error) {
        // The others go on, and this one with the next tick.
        this.deps.log.warn(
          { err: error, alert: outcome.row.id },
          'the state of an alert could not be stored; it is tried again',
        )
      }
    }
  }

  async #storeNews({ row, definition, evaluated, replayed, settled }: Outcome): Promise<void> {
    const largest = await this.#findLargest(row, definition, evaluated, replayed)
    const { relational } = this.deps
    await relational.transaction(async (tx) => {
      const stored = await settle(tx, this.#holder, [settled])
      if (!stored.has(row.id)) return
      await commitProgress(this.deps, tx, row, replayed, evaluated, largest)
    })
    this.deps.noticeDeliveries.begin()
  }

  /** The largest groups of the windows that are notified. */
  async #findLargest(
    row: AlertRow,
    definition: AlertDefinition,
    evaluated: readonly Evaluated[],
    { notified }: Replayed,
  ): Promise<Largest> {
    const largest = new Map<number, { label: string; count: number; value: number | null }[]>()
    for (const { at, state } of notified) {
      if (state === 'ok' || state === 'mended' || state === 'broken' || state === 'no_data') continue
      const seconds = at / 1000
      const own = evaluated.find((one) => one.at === seconds)
      const top = definition.group_by
        ? toNamed(own?.groups ?? [])
        : isAboutErrors(definition)
          ? await this.#readMessages(row, definition, at)
          : toNamed(await this.#measureGroups(row, definition, seconds))
      largest.set(at, top)
    }
    return largest
  }

  /** The most frequent errors of the window, where notices may show texts of runs. */
  async #readMessages(row: AlertRow, definition: AlertDefinition, at: number) {
    const { runs } = toMeasure(definition)
    const window = { start_time: timeOfEpochMs(at - definition.window_minutes * 60_000), end_time: timeOfEpochMs(at) }
    const { groups } = await readErrors(this.deps, row.tenant_id, { ...runs, ...window, limit: MAX_NAMED })
    return groups.map(({ message, run_count }) => ({ label: message, count: run_count, value: null }))
  }

  async #measureGroups(row: AlertRow, definition: AlertDefinition, at: number) {
    const grouped = { ...definition, group_by: { attribute: 'name' as const, path: null } }
    const step = stepSecondsOf(definition)
    const ends = { from: at, to: at, step, window: definition.window_minutes * 60, offset: 0 }
    const found = await measureWindows(this.deps, row.tenant_id, grouped, ends)
    return found.get(at) ?? []
  }
}

interface Ends {
  readonly from: number
  readonly to: number
}

/** Evaluations of one tick by what they measure. */
type Shared = Map<string, ReturnType<typeof evaluate>>

/** What decides about points and levels. */
function measured(definition: AlertDefinition): object {
  const {
    channel_ids: _,
    quiet_hours: __,
    renotify_minutes: ___,
    for_minutes: ____,
    recovery_minutes: _____,
    ...rest
  } = definition
  return rest
}

const toColumns = (progress: Progress) => ({
  state: progress.state,
  state_since: timeOfEpochMs(progress.since),
  progress: JSON.stringify(progress),
  episode: progress.episode?.number ?? null,
})

const isAboutErrors = ({ metric, shows_content }: AlertDefinition) =>
  shows_content && (metric === 'errors' || metric === 'error_rate')

const toNamed = (groups: readonly { group: string | null; count: number; value: number | null }[]) =>
  groups.slice(0, MAX_NAMED).map(({ group, count, value }) => ({ label: group ?? 'without', count, value }))

const MAX_BASELINES = 1_000
const MAX_DEFINITIONS = 5_000
/** Groups that a notice names. */
const MAX_NAMED = 3

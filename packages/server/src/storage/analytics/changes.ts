import type { Analytics, InsertRow } from './port.ts'

/** When more days than this are remembered, every day counts as changed. */
const DAYS_TO_REMEMBER = 100_000

/**
 * Records which tables and days were written, for readers that cache results. A moment is a counter, not a clock: a
 * reader that notes `now` before it reads has seen everything that was recorded up to then.
 */
export class Changes {
  #now = 0
  /** The last moment at which any row may have changed. */
  #everything = 0
  readonly #tables = new Map<string, number>()
  readonly #runDays = new Map<string, Map<string, number>>()
  #dayCount = 0

  get now(): number {
    return this.#now
  }

  /** Whether rows of a table may have changed since a moment. */
  isChanged(table: string, since: number): boolean {
    return this.#everything > since || (this.#tables.get(table) ?? 0) > since
  }

  /**
   * Start days of the runs of a project that were written after a moment.
   *
   * @returns `YYYY-MM-DD` in UTC; `undefined` when any day may have changed
   */
  runDays(tenantId: string, projectId: string, since: number): string[] | undefined {
    if (this.#everything > since) return undefined
    const days = this.#runDays.get(`${tenantId} ${projectId}`) ?? []
    return [...days].filter(([, at]) => at > since).map(([day]) => day)
  }

  /** Records rows that were appended. */
  recordInsert(table: string, rows: readonly InsertRow[]): void {
    const at = ++this.#now
    this.#tables.set(table, at)
    if (table !== 'runs') return
    let isAnyDay = false
    for (const { key } of rows) {
      if (key === undefined) isAnyDay = true
      else this.#recordDay(`${key.tenant_id} ${key.session_id}`, key.start_time.slice(0, DAY_LENGTH), at)
    }
    if (isAnyDay || this.#dayCount > DAYS_TO_REMEMBER) this.recordAnything()
  }

  /** Records a statement that may have changed any row. */
  recordAnything(): void {
    this.#everything = ++this.#now
    this.#runDays.clear()
    this.#dayCount = 0
  }

  #recordDay(project: string, day: string, at: number): void {
    const days = this.#runDays.get(project) ?? new Map<string, number>()
    this.#runDays.set(project, days)
    if (!days.has(day)) this.#dayCount++
    days.set(day, at)
  }
}

const DAY_LENGTH = 'YYYY-MM-DD'.length

/** Adds `changes` to a store. Only for a store that no other process writes to. */
export function withChanges(analytics: Analytics): Analytics {
  const changes = new Changes()
  return {
    ...analytics,
    changes,
    async insert(table, rows) {
      // A failed insert may have been stored.
      await analytics.insert(table, rows).finally(() => changes.recordInsert(table, rows))
    },
    async command(statement) {
      await analytics.command(statement).finally(() => changes.recordAnything())
    },
  }
}

/** Maximum number of cached answers; the oldest ones are dropped. */
const MAX_ANSWERS = 500

interface Answer<Value> {
  readonly at: number
  readonly value: Value
  readonly tables: readonly string[]
}

/** Caches answers until one of their tables changes. Without `changes` nothing is cached. */
export class AnswerCache<Value> {
  readonly #changes: Changes | undefined
  readonly #answers = new Map<string, Answer<Value>>()

  constructor(changes: Changes | undefined) {
    this.#changes = changes
  }

  /** @param find  also returns the tables that the answer depends on */
  async get(key: string, find: () => Promise<Omit<Answer<Value>, 'at'>>): Promise<Value> {
    const cached = this.#answers.get(key)
    if (cached && !cached.tables.some((table) => this.#changes?.isChanged(table, cached.at))) return cached.value
    const at = this.#changes?.now ?? 0
    const found = await find()
    if (this.#changes) this.#answers.set(key, { at, ...found })
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_ANSWERS) break
      this.#answers.delete(oldest)
    }
    return found.value
  }
}

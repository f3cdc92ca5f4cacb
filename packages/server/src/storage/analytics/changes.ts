import type { Analytics } from './port.ts'

/** Beyond so many days that are known to have changed, every day counts as changed. */
const DAYS_TO_REMEMBER = 100_000

/**
 * What was written since when, for readers that keep what they worked out. Moments are counted, not measured: whoever
 * notes `now` before it reads has seen everything that was recorded up to then.
 */
export class Changes {
  #now = 0
  /** When anything at all may have changed last. */
  #everything = 0
  readonly #tables = new Map<string, number>()
  readonly #runDays = new Map<string, Map<string, number>>()
  #known = 0

  get now(): number {
    return this.#now
  }

  /** Whether a table may have other rows than at a moment. */
  isChanged(table: string, since: number): boolean {
    return this.#everything > since || (this.#tables.get(table) ?? 0) > since
  }

  /**
   * Days on which runs of a project started that were written after a moment.
   *
   * @returns `YYYY-MM-DD` in UTC; `undefined` when any day may have changed
   */
  runDays(tenantId: string, projectId: string, since: number): string[] | undefined {
    if (this.#everything > since) return undefined
    const days = this.#runDays.get(`${tenantId} ${projectId}`) ?? []
    return [...days].filter(([, at]) => at > since).map(([day]) => day)
  }

  /** @param rows  as they were appended */
  appended(table: string, rows: readonly string[]): void {
    const at = ++this.#now
    this.#tables.set(table, at)
    if (table !== 'runs') return
    const places = rows.map((row) => PLACE.exec(row)?.groups)
    for (const place of places) if (place) this.#noteDay(`${place.tenant} ${place.project}`, place.day!, at)
    if (this.#known > DAYS_TO_REMEMBER || places.includes(undefined)) this.anything()
  }

  /** After a statement that may have changed any row. */
  anything(): void {
    this.#everything = ++this.#now
    this.#runDays.clear()
    this.#known = 0
  }

  #noteDay(project: string, day: string, at: number): void {
    const days = this.#runDays.get(project) ?? new Map<string, number>()
    this.#runDays.set(project, days)
    if (!days.has(day)) this.#known++
    days.set(day, at)
  }
}

/** The sort key stands first in every row of `runs`. */
const PLACE = /^\{"tenant_id":"(?<tenant>[^"]+)","session_id":"(?<project>[^"]+)","start_time":"(?<day>\d{4}-\d\d-\d\d)/

/** The same store, which also tells what changed. Only for a store that nobody else writes to. */
export function withChanges(analytics: Analytics): Analytics {
  const changes = new Changes()
  return {
    ...analytics,
    changes,
    async insert(table, rows) {
      // What failed may have been stored all the same.
      await analytics.insert(table, rows).finally(() => changes.appended(table, rows))
    },
    async command(statement) {
      await analytics.command(statement).finally(() => changes.anything())
    },
  }
}

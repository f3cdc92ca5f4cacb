import type { AlertDefinition } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { sql, uint, uuids } from '../../../storage/analytics/sql.ts'
import type { AlertRow } from '../../../storage/relational/tables/alerts.ts'
import { columns, count, text } from '../../../storage/rows.ts'
import type { Evaluated } from '../evaluate.ts'

/** What is known of the last evaluation of an alert. */
interface Known {
  readonly version: number
  /** Its end. */
  readonly at: number
  /** The earliest run in the window; null without runs. */
  readonly oldest: number | null
  readonly evaluated: Evaluated
  /** Moment of the changes before its query. */
  readonly moment: number
}

const NEWEST = columns({ tenant_id: text, session_id: text, newest: count })

/**
 * Knows which alerts need no query: those whose windows hold the same runs as the last time, because no run of their
 * projects was written since, none starts later, and none has left the window. Only where no other process writes runs.
 */
export class QuietProjects {
  readonly #known = new Map<string, Known>()
  /** The latest start of a run by project, and the moment at which it was read. */
  readonly #newest = new Map<string, { readonly at: number; readonly moment: number }>()

  constructor(readonly deps: Pick<Deps, 'analytics'>) {}

  /** The moment that evaluations which begin now belong to; undefined where other processes write. */
  get moment(): number | undefined {
    return this.deps.analytics.changes?.now
  }

  /** Reads the latest run of each project that has changed, in one query. */
  async look(rows: readonly AlertRow[]): Promise<void> {
    const moment = this.moment
    if (moment === undefined) return
    const stale = new Set<string>()
    for (const row of rows) {
      for (const id of row.project_ids) if (this.#isChanged(row.tenant_id, id)) stale.add(id)
    }
    if (stale.size === 0) return
    const found = await this.deps.analytics.query(
      sql`
      select tenant_id, session_id, toUInt64(toUnixTimestamp(toDateTime(max(start_time)))) as newest
      from runs
      where session_id in ${uuids([...stale])} and tenant_id in ${uuids([...new Set(rows.map((row) => row.tenant_id))])}
        and start_time >= toDateTime(${uint(this.#begin(rows))})
      group by tenant_id, session_id`,
      NEWEST,
    )
    const newest = new Map(found.map((one) => [`${one.tenant_id} ${one.session_id}`, one.newest]))
    for (const row of rows) {
      for (const id of row.project_ids) {
        if (!stale.has(id)) continue
        const key = `${row.tenant_id} ${id}`
        this.#newest.set(key, { at: newest.get(key) ?? 0, moment })
      }
    }
  }

  /** Before every window that is evaluated: older runs do not matter. */
  #begin(rows: readonly AlertRow[]): number {
    return Math.max(0, Math.min(...rows.map(({ evaluated_to }) => evaluated_to)) - MAX_WINDOW)
  }

  #isChanged(tenantId: string, projectId: string): boolean {
    const known = this.#newest.get(`${tenantId} ${projectId}`)
    return known === undefined || this.deps.analytics.changes?.runDays(tenantId, projectId, known.moment)?.length !== 0
  }

  /** The last evaluation, when one with this end would be the same. */
  find(row: AlertRow, definition: AlertDefinition, at: number): Evaluated | undefined {
    const known = this.#known.get(row.id)
    if (known === undefined || known.version !== row.version || definition.kind === 'anomaly') return undefined
    if (
      definition.metric === 'feedback' &&
      this.deps.analytics.changes?.isChanged('run_feedback', known.moment) !== false
    ) {
      return undefined
    }
    const window = definition.window_minutes * 60
    const compared = definition.kind === 'change' ? (definition.compare_minutes ?? definition.window_minutes) * 60 : 0
    let newest = 0
    for (const id of row.project_ids) {
      const seen = this.#newest.get(`${row.tenant_id} ${id}`)
      if (seen === undefined) return undefined
      if (this.deps.analytics.changes?.runDays(row.tenant_id, id, known.moment)?.length !== 0) return undefined
      newest = Math.max(newest, seen.at)
    }
    const isEmpty = known.oldest === null
    if (isEmpty ? newest >= at - window - compared && newest >= known.at - window : newest >= known.at) return undefined
    if (compared > 0 && newest >= at - window - compared) return undefined
    if (known.oldest !== null && known.oldest < at - window) return undefined
    return { ...known.evaluated, at }
  }

  /** Keeps the last evaluation of an alert. */
  keep(row: AlertRow, evaluated: Evaluated, moment: number | undefined): void {
    if (moment === undefined) return
    const { at, oldest } = evaluated
    this.#known.set(row.id, { version: row.version, at, oldest, evaluated, moment })
  }

  forget(id: string): void {
    this.#known.delete(id)
  }
}

/** The longest window with the one it is compared with. Seconds. */
const MAX_WINDOW = 2 * 10_080 * 60

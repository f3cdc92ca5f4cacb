import type { Deps } from '../../deps.ts'
import { microsBetween } from '../../storage/analytics/durations.ts'
import { addDecimals, type Fragment, join, literal, sql, time, uuid, uuids } from '../../storage/analytics/sql.ts'
import { type Column, columns, count, each, list, nullable, number, text, truth } from '../../storage/rows.ts'
import { type RootFigures, USAGE, type UsageFigures } from './figures.ts'

/** Figures of one day of a project. A run belongs to the UTC day of its start. */
export interface DayFigures {
  readonly roots?: DayRoots
  readonly usage?: DayUsage
}

interface DayRoots {
  readonly run_count: number
  readonly errors: number
  readonly last_run_start_time: string
  /** Microseconds, ascending: `latency` of the roots that ended, `first_token` of the roots that streamed. */
  readonly latency: Float64Array
  readonly first_token: Float64Array
}

type DayUsage = Omit<UsageFigures, 'session_id'> & { readonly may_repeat: boolean }

/** All days of some projects, and single days of others. */
export interface DaySelection {
  readonly whole: readonly string[]
  readonly days: readonly { readonly projectId: string; readonly day: string }[]
}

interface ProjectDay {
  readonly session_id: string
  readonly day: string
}

/** Reads figures by project and day; days without runs are absent. */
export async function readDays(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  wanted: DaySelection,
  since?: string,
): Promise<Map<string, Map<string, DayFigures>>> {
  const found = new Map<string, Map<string, DayFigures>>()
  if (wanted.whole.length + wanted.days.length === 0) return found
  const where = whereDays(tenantId, wanted, since)
  const put = ({ session_id, day }: ProjectDay, figures: DayFigures) => {
    const days = found.get(session_id) ?? new Map<string, DayFigures>()
    found.set(session_id, days.set(day, { ...days.get(day), ...figures }))
  }
  for (const line of await analytics.queryTexts(selectRootsByDay(where))) {
    const { session_id, day, ...roots } = DAY_ROOTS(JSON.parse(line))
    put({ session_id, day }, { roots })
    // A day may have a hundred thousand roots: let other requests run in between.
    await new Promise(setImmediate)
  }
  for (const row of await analytics.query(selectUsageByDay(where), DAY_USAGE)) {
    const sums = Object.fromEntries(USAGE.map((column) => [column, row[`${column}_sum`]]))
    put(row, { usage: { ...sums, may_repeat: row.may_repeat } as DayUsage })
  }
  return found
}

const durations: Column<Float64Array> = (value) => Float64Array.from(list(number)(value))

const DAY_ROOTS = columns({
  session_id: text,
  day: text,
  run_count: count,
  errors: count,
  last_run_start_time: text,
  latency: durations,
  first_token: durations,
})

const DAY_USAGE = columns({
  session_id: text,
  day: text,
  ...each(
    USAGE.map((column) => `${column}_sum` as const),
    nullable(text),
  ),
  may_repeat: truth,
})

/** Combines the root figures of days into the figures of a project. */
export function sumRoots(session_id: string, days: readonly DayFigures[]): RootFigures | undefined {
  const roots = days.flatMap((day) => day.roots ?? [])
  if (roots.length === 0) return undefined
  const sum = (of: (day: DayRoots) => number) => roots.reduce((all, day) => all + of(day), 0)
  const quantiles = (lists: Float64Array[]) => [findQuantile(lists, 0.5) ?? 0, findQuantile(lists, 0.99) ?? 0]
  return {
    session_id,
    run_count: sum((day) => day.run_count),
    latency: quantiles(roots.map((day) => day.latency)),
    first_token: quantiles(roots.map((day) => day.first_token)),
    ended: sum((day) => day.latency.length),
    errors: sum((day) => day.errors),
    streamed: sum((day) => day.first_token.length),
    last_run_start_time: roots.map((day) => day.last_run_start_time).reduce((a, b) => (a > b ? a : b)),
  }
}

/** Sums usage over days, including repeated usage; `mayRepeat` is whether there may be any. */
export function sumUsage(
  session_id: string,
  days: readonly DayFigures[],
): { readonly usage: UsageFigures; readonly mayRepeat: boolean } | undefined {
  const all = days.flatMap((day) => day.usage ?? [])
  if (all.length === 0) return undefined
  const sums = Object.fromEntries(USAGE.map((column) => [column, addDecimals(all.map((day) => day[column]))]))
  return { usage: { session_id, ...sums } as UsageFigures, mayRepeat: all.some((day) => day.may_repeat) }
}

function whereDays(tenantId: string, { whole, days }: DaySelection, since: string | undefined): Fragment {
  const ofDays = days.map(({ projectId, day }) => {
    const [from, to] = [time(`${day}T00:00:00.000000Z`), time(`${toNextDay(day)}T00:00:00.000000Z`)]
    return sql`(session_id = ${uuid(projectId)} and start_time >= ${from} and start_time < ${to})`
  })
  const ofProjects = whole.length > 0 ? [sql`session_id in ${uuids(whole)}`] : []
  const fromThen = since === undefined ? literal('') : sql` and start_time >= ${time(since)}`
  return sql`tenant_id = ${uuid(tenantId)} and (${join([...ofProjects, ...ofDays], ' or ')})${fromThen}`
}

function toNextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 864e5).toISOString().slice(0, 10)
}

/** Selects durations as numbers, not as text: there are many, and all are smaller than 2^53. */
function selectRootsByDay(where: Fragment): Fragment {
  const sorted = (end: string) =>
    literal(`arraySort(groupArrayIf(toFloat64(${microsBetween('start_time', end)}), ${end} is not null))`)
  return sql`
    select session_id, toString(toDate32(start_time)) as day,
      count() as run_count,
      countIf(status = 'error') as errors,
      max(start_time) as last_run_start_time,
      ${sorted('end_time')} as latency,
      ${sorted('first_token_time')} as first_token
    from project_roots final
    where ${where}
    group by session_id, day`
}

function selectUsageByDay(where: Fragment): Fragment {
  return sql`
    select session_id, toString(toDate32(start_time)) as day,
      ${literal(USAGE.map((column) => `sum(${column}) as ${column}_sum`).join(', '))},
      max(may_repeat) as may_repeat
    from project_usage final
    where ${where}
    group by session_id, day`
}

/**
 * The quantile of the values of several sorted lists, as the engine's `quantileExact` selects it: the value at the index
 * `share × count`, rounded down.
 *
 * @param lists  whole numbers, ascending
 * @param share  from 0 to below 1
 * @returns `undefined` without values
 */
export function findQuantile(lists: readonly Float64Array[], share: number): number | undefined {
  const filled = lists.filter((list) => list.length > 0)
  const count = filled.reduce((sum, list) => sum + list.length, 0)
  if (count === 0) return undefined
  const index = Math.floor(share * count)
  let low = Math.min(...filled.map(([first = 0]) => first))
  let high = Math.max(...filled.map((list) => list.at(-1) ?? 0))
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const upTo = filled.reduce((sum, list) => sum + countUpTo(list, middle), 0)
    if (upTo > index) high = middle
    else low = middle + 1
  }
  return low
}

/** Number of values in a sorted list that are not greater than a value. */
function countUpTo(list: Float64Array, value: number): number {
  let from = 0
  let to = list.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((list[middle] ?? Number.POSITIVE_INFINITY) <= value) from = middle + 1
    else to = middle
  }
  return from
}

import { type Fragment, literal } from '../../storage/analytics/sql.ts'

/*
 * Clocks of JavaScript have milliseconds, so siblings often start at the same time. Then their ends tell what came first, and
 * then the order in which they arrived. Ids are random.
 */

/** The order of the runs of a trace as SQL over `trace_runs` or `runs`; siblings follow one another as they do in their tree. */
export function bySiblingOrder(table: 'runs' | 'trace_runs', direction: 'asc' | 'desc'): Fragment {
  const column = (name: string) => `${table}.${name}`
  const keys = [column('start_time'), `isNull(${column('end_time')})`, ...['end_time', 'arrival', 'id'].map(column)]
  return literal(keys.map((key) => `${key} ${direction}`).join(', '))
}

/** The columns that the order needs. */
export interface OrderedRow {
  readonly start_time: string
  readonly end_time: string | null
  readonly arrival: string
}

/**
 * Sorts the runs of a page that start at the same time. Pages are cut by start and id, which never change: a run that ends
 * between two pages is on one of them, whatever its place in this order.
 *
 * @param rows  ordered by start and id
 */
export function sortTies<Row extends OrderedRow>(rows: readonly Row[], direction: 'asc' | 'desc'): readonly Row[] {
  const hasTies = rows.some(({ start_time }, index) => index > 0 && rows[index - 1]?.start_time === start_time)
  if (!hasTies) return rows
  const sign = direction === 'asc' ? 1 : -1
  const place = new Map<string, number>()
  for (const { start_time } of rows) if (!place.has(start_time)) place.set(start_time, place.size)
  return rows.toSorted(
    (one, other) =>
      (place.get(one.start_time) ?? 0) - (place.get(other.start_time) ?? 0) || sign * compareTied(one, other),
  )
}

function compareTied(one: OrderedRow, other: OrderedRow): number {
  if (one.end_time !== other.end_time) {
    if (one.end_time === null) return 1
    if (other.end_time === null) return -1
    return one.end_time < other.end_time ? -1 : 1
  }
  return Number(BigInt(one.arrival) - BigInt(other.arrival))
}

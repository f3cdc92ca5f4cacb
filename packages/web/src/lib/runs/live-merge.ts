/** What ordering and merging need of a run. */
export interface LiveRow {
  id: string
  start_time: string
}

/** Runs that came after a list was loaded: new ones, and newer versions of those it shows. */
export interface News<Row extends LiveRow> {
  byId: ReadonlyMap<string, Row>
  /** New runs that were let into the list; the others wait behind the "12 new" pill. */
  admitted: ReadonlySet<string>
  /** More came than was read; only a reload of the list shows all. */
  overflow: boolean
}

export const NO_NEWS = { byId: new Map<string, never>(), admitted: new Set<string>(), overflow: false }

/** Adds what a poll read. Rows that did not change keep their identity, so nothing draws again for them. */
export function addNews<Row extends LiveRow>(news: News<Row>, read: readonly Row[], overflow: boolean): News<Row> {
  const changed = read.filter((row) => !isSame(news.byId.get(row.id), row))
  if (changed.length === 0 && overflow === news.overflow) return news
  const byId = new Map(news.byId)
  for (const row of changed) byId.set(row.id, row)
  return { ...news, byId, overflow }
}

/** Lets everything that waits into the list. */
export function admitAll<Row extends LiveRow>(news: News<Row>): News<Row> {
  return { ...news, admitted: new Set(news.byId.keys()) }
}

/**
 * The list to draw. Shown rows are replaced in place by their newer versions and never move; admitted new rows stand
 * where their start time puts them; the rest waits.
 *
 * @param base  rows of the loaded pages, newest first
 */
export function composeRows<Row extends LiveRow>(base: readonly Row[], news: News<Row>) {
  const shown = new Set(base.map((row) => row.id))
  const fresh = [...news.byId.values()].filter((row) => !shown.has(row.id)).sort(newestFirst)
  const patched = base.map((row) => {
    const newer = news.byId.get(row.id)
    return newer && !isSame(newer, row) ? newer : row
  })
  const admitted = fresh.filter((row) => news.admitted.has(row.id))
  return {
    rows: admitted.length === 0 ? patched : interleave(admitted, patched),
    waiting: fresh.filter((row) => !news.admitted.has(row.id)),
  }
}

/** The start time from which a poll reads: some time before the newest row, for runs that arrive late. */
export function watermark(rows: readonly LiveRow[], overlapMs: number): string | undefined {
  if (rows.length === 0) return undefined
  return new Date(Math.max(...rows.map((row) => Date.parse(row.start_time))) - overlapMs).toISOString()
}

/** Merges two lists that are each newest first. Times of one printed form sort as text. */
function interleave<Row extends LiveRow>(left: readonly Row[], right: readonly Row[]): Row[] {
  const merged: Row[] = []
  let at = 0
  for (const row of right) {
    while (at < left.length && newestFirst(left[at]!, row) < 0) merged.push(left[at++]!)
    merged.push(row)
  }
  return merged.concat(left.slice(at))
}

function newestFirst(a: LiveRow, b: LiveRow): number {
  if (a.start_time !== b.start_time) return a.start_time > b.start_time ? -1 : 1
  return a.id > b.id ? -1 : a.id === b.id ? 0 : 1
}

function isSame(a: LiveRow | undefined, b: LiveRow): boolean {
  return a === b || (a !== undefined && JSON.stringify(a) === JSON.stringify(b))
}

/** The fields of a run that ordering and merging need. */
export interface LiveRow {
  id: string
  start_time: string
}

/** Runs that came or changed after a list was loaded. */
export interface LiveUpdates<Row extends LiveRow> {
  byId: ReadonlyMap<string, Row>
  /** Ids of new runs that were moved into the list. The others are pending, behind the "12 new" button. */
  flushed: ReadonlySet<string>
  /** More runs came than were read. Only a reload of the list shows all of them. */
  overflow: boolean
}

export const NO_UPDATES = { byId: new Map<string, never>(), flushed: new Set<string>(), overflow: false }

/** Adds the rows of a poll. Unchanged rows keep their identity, so they do not render again. */
export function addUpdates<Row extends LiveRow>(
  updates: LiveUpdates<Row>,
  read: readonly Row[],
  overflow: boolean,
): LiveUpdates<Row> {
  const changed = read.filter((row) => !isSame(updates.byId.get(row.id), row))
  if (changed.length === 0 && overflow === updates.overflow) return updates
  const byId = new Map(updates.byId)
  for (const row of changed) byId.set(row.id, row)
  return { ...updates, byId, overflow }
}

/** Moves all pending rows into the list. */
export function flushPending<Row extends LiveRow>(updates: LiveUpdates<Row>): LiveUpdates<Row> {
  return { ...updates, flushed: new Set(updates.byId.keys()) }
}

/**
 * The list to draw. Rows are replaced in place by their newer versions and never move. Flushed new rows are sorted in by
 * start time; the others are pending.
 *
 * @param base  rows of the loaded pages, newest first
 */
export function composeRows<Row extends LiveRow>(base: readonly Row[], updates: LiveUpdates<Row>) {
  const shown = new Set(base.map((row) => row.id))
  const fresh = [...updates.byId.values()].filter((row) => !shown.has(row.id)).sort(newestFirst)
  const patched = base.map((row) => {
    const newer = updates.byId.get(row.id)
    return newer && !isSame(newer, row) ? newer : row
  })
  const flushed = fresh.filter((row) => updates.flushed.has(row.id))
  return {
    rows: flushed.length === 0 ? patched : interleave(flushed, patched),
    pendingRows: fresh.filter((row) => !updates.flushed.has(row.id)),
  }
}

/** The start time from which a poll reads: `overlapMs` before the newest row, for runs that arrive late. */
export function getPollStart(rows: readonly LiveRow[], overlapMs: number): string | undefined {
  if (rows.length === 0) return undefined
  return new Date(Math.max(...rows.map((row) => Date.parse(row.start_time))) - overlapMs).toISOString()
}

/** Merges two lists that are newest first. Times in the same format sort as text. */
function interleave<Row extends LiveRow>(left: readonly Row[], right: readonly Row[]): Row[] {
  const merged: Row[] = []
  let at = 0
  for (const row of right) {
    for (let next = left[at]; next !== undefined && newestFirst(next, row) < 0; next = left[++at]) merged.push(next)
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

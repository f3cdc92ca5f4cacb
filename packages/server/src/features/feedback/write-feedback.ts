import { timeOfEpochMs } from '@touchstone/contract'
import type { Clock, Deps } from '../../deps.ts'
import type { Problems } from '../../outcome.ts'
import type { InsertRow } from '../../storage/analytics/port.ts'
import { columnTime, literal, sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import {
  ABSENT,
  FEEDBACK_COLUMNS,
  type FeedbackChanges,
  type FeedbackRow,
  type FeedbackWrite,
  type NewFeedback,
  NO_RUN,
} from './feedback-row.ts'
import { keysOfRuns, type RunKey } from './run-keys.ts'

export interface WriteFeedbackDeps extends Pick<Deps, 'analytics'> {
  readonly clock: Clock
  /** A version of which it and its successor are free. */
  readonly versions: { after(stored?: string): number }
  /** Appends rows as one block; returns the rows that could not be stored. */
  readonly insert: <Row extends InsertRow>(table: string, rows: readonly Row[]) => Promise<Problems<Row>>
}

/** Where a stored record stands in the sort key. */
interface Spot {
  readonly id: string
  readonly run_id: string
  readonly key: string
  readonly created_at: string
  readonly version: string
}

/**
 * Stores writes of one tenant as one block. Must not run twice at once: a change is laid onto what is stored.
 *
 * @returns the writes that could not be stored
 */
export async function writeFeedback(
  deps: WriteFeedbackDeps,
  tenantId: string,
  writes: readonly FeedbackWrite[],
): Promise<Problems<FeedbackWrite>> {
  const spots = await readSpots(deps, tenantId, writes.map(idOf))
  const stored = await readStored(deps, tenantId, spotsToRead(writes, spots))
  const given = writes.flatMap((write) => ('row' in write ? [write.row] : []))
  const runIds = [...given, ...stored.values()].map((row) => row.run_id).filter((id) => id !== NO_RUN)
  const runs = await keysOfRuns(deps, tenantId, runIds)
  const nowMs = deps.clock()
  // A microsecond apart each, so that a list sorted by time keeps the order of what came in one request.
  const timeAt = (at: number) => columnTime(timeOfEpochMs(nowMs + at / 1000))

  /** What becomes of each record; undefined when it is deleted. */
  const outcome = new Map<string, FeedbackRow | undefined>(stored)
  const problems = new Map<FeedbackWrite, string>()
  for (const [at, write] of writes.entries()) {
    const id = idOf(write)
    const now = timeAt(at)
    const before = outcome.get(id)
    if (write.kind === 'put' || (write.kind === 'merge' && before === undefined)) {
      const createdAt = before?.created_at ?? spots.get(id)?.created_at
      outcome.set(id, { ...placed(write.row, runs), ...timesOf(write.row, createdAt, now) })
    } else if (before === undefined) problems.set(write, ABSENT)
    else outcome.set(id, write.kind === 'delete' ? undefined : changed(placed(before, runs), write.changes, now))
  }

  const rows: { readonly id: string; readonly json: string }[] = []
  for (const id of new Set(writes.filter((write) => !problems.has(write)).map(idOf))) {
    const spot = spots.get(id)
    const row = outcome.get(id)
    const version = deps.versions.after(spot?.version)
    if (spot !== undefined && !stands(row, spot)) rows.push({ id, json: tombstone(tenantId, spot, version) })
    if (row !== undefined) {
      rows.push({ id, json: JSON.stringify({ tenant_id: tenantId, ...row, version: version + 1, is_deleted: 0 }) })
    }
  }
  const failures = new Map<string, string>()
  for (const [row, problem] of await deps.insert('run_feedback', rows)) failures.set(row.id, problem)
  for (const write of writes) {
    if (problems.has(write)) continue
    const failure = failures.get(idOf(write))
    const row = outcome.get(idOf(write))
    if (failure !== undefined) problems.set(write, failure)
    else if (row !== undefined) write.told?.(row)
  }
  return problems
}

const idOf = (write: FeedbackWrite) => ('row' in write ? write.row.id : write.id)

/** A run has one project; what the caller says of it is a hint for the time before it arrives. */
function placed<Row extends NewFeedback>(row: Row, runs: ReadonlyMap<string, RunKey>): Row {
  const run = runs.get(row.run_id)
  if (run === undefined) return row
  const { session_id, trace_id, start_time } = run
  return { ...row, session_id, trace_id, start_time }
}

function timesOf(row: NewFeedback, createdAt: string | undefined, now: string) {
  return { created_at: row.created_at ?? createdAt ?? now, modified_at: row.modified_at ?? now }
}

function changed(row: FeedbackRow, changes: FeedbackChanges, now: string): FeedbackRow {
  return { ...row, ...changes, modified_at: now }
}

function stands(row: FeedbackRow | undefined, spot: Spot): boolean {
  return row !== undefined && row.run_id === spot.run_id && row.key === spot.key
}

function tombstone(tenantId: string, { id, run_id, key, created_at }: Spot, version: number): string {
  return JSON.stringify({ tenant_id: tenantId, id, run_id, key, created_at, version, is_deleted: 1 })
}

async function readSpots(
  { analytics }: WriteFeedbackDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Spot>> {
  const rows = await analytics.query<Spot>(sql`
    select id, run_id, key, created_at, version
    from feedback_keys final
    where tenant_id = ${uuid(tenantId)} and id in ${uuids([...new Set(ids)])}`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** A put needs the place of what it replaces, not the rest. */
function spotsToRead(writes: readonly FeedbackWrite[], spots: ReadonlyMap<string, Spot>): Spot[] {
  const ids = new Set(writes.filter((write) => write.kind !== 'put').map(idOf))
  return [...ids].flatMap((id) => spots.get(id) ?? [])
}

async function readStored(
  { analytics }: WriteFeedbackDeps,
  tenantId: string,
  spots: readonly Spot[],
): Promise<Map<string, FeedbackRow>> {
  if (spots.length === 0) return new Map()
  const rows = await analytics.query<FeedbackRow>(sql`
    select ${literal(FEEDBACK_COLUMNS.join(', '))}
    from run_feedback final
    where tenant_id = ${uuid(tenantId)} and run_id in ${uuids(spots.map((spot) => spot.run_id))}
      and id in ${uuids(spots.map((spot) => spot.id))}`)
  return new Map(rows.map((row) => [row.id, row]))
}

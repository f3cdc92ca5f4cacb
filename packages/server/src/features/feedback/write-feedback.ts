import { timeOfEpochMs } from '@touchstone/contract'
import type { Clock, Deps } from '../../deps.ts'
import { columnTime, type Fragment, literal, sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import {
  ABSENT,
  FEEDBACK_COLUMNS,
  type FeedbackChanges,
  type FeedbackRow,
  type FeedbackWrite,
  type NewFeedback,
  NO_RUN,
  type RunKey,
  selectRunKeys,
} from './feedback-row.ts'

export interface WriteFeedbackDeps extends Pick<Deps, 'analytics'> {
  readonly clock: Clock
  /** A version of which it and its successor are free. */
  readonly versions: { after(stored?: string): number }
  /** Appends rows as one block; a sentence per row that could not be stored. */
  readonly insert: (table: string, rows: readonly string[]) => Promise<(string | undefined)[]>
}

/** Where a stored record stands in the sort key. */
interface RecordKey {
  readonly id: string
  readonly run_id: string
  readonly key: string
  readonly created_at: string
  readonly version: string
}

/**
 * Stores writes of one tenant as one block. Must not run twice at once: a change is laid onto what is stored.
 *
 * @returns per write, a sentence when it could not be stored
 */
export async function writeFeedback(
  deps: WriteFeedbackDeps,
  tenantId: string,
  writes: readonly FeedbackWrite[],
): Promise<(string | undefined)[]> {
  const spots = await selectRecordKeys(deps, tenantId, writes.map(getId))
  const stored = await selectStored(deps, tenantId, findKeysToRead(writes, spots))
  const given = writes.flatMap((write) => ('row' in write ? [write.row] : []))
  const runIds = [...given, ...stored.values()].map((row) => row.run_id).filter((id) => id !== NO_RUN)
  const runs = await selectRunKeys(deps, tenantId, runIds)
  const nowMs = deps.clock()
  // A microsecond apart each, so that a list sorted by time keeps the order of what came in one request.
  const timeAt = (at: number) => columnTime(timeOfEpochMs(nowMs + at / 1000))

  /** What becomes of each record; undefined when it is deleted. */
  const outcome = new Map<string, FeedbackRow | undefined>(stored)
  const problems = writes.map((write, at) => {
    const id = getId(write)
    const now = timeAt(at)
    const before = outcome.get(id)
    if (write.kind === 'put' || (write.kind === 'merge' && before === undefined)) {
      const createdAt = before?.created_at ?? spots.get(id)?.created_at
      outcome.set(id, { ...withRunKey(write.row, runs), ...toTimes(write.row, createdAt, now) })
    } else if (before === undefined) return ABSENT
    else
      outcome.set(id, write.kind === 'delete' ? undefined : applyChanges(withRunKey(before, runs), write.changes, now))
    return undefined
  })

  const rows: { readonly id: string; readonly json: string }[] = []
  for (const id of new Set(writes.filter((_, at) => problems[at] === undefined).map(getId))) {
    const spot = spots.get(id)
    const row = outcome.get(id)
    const version = deps.versions.after(spot?.version)
    if (spot !== undefined && !hasSameKey(row, spot)) rows.push({ id, json: printTombstone(tenantId, spot, version) })
    if (row !== undefined) {
      rows.push({ id, json: JSON.stringify({ tenant_id: tenantId, ...row, version: version + 1, is_deleted: 0 }) })
    }
  }
  const failures = await deps.insert(
    'run_feedback',
    rows.map((row) => row.json),
  )
  const failureOf = new Map(rows.flatMap(({ id }, at) => (failures[at] === undefined ? [] : [[id, failures[at]]])))
  return writes.map((write, at) => {
    const problem = problems[at] ?? failureOf.get(getId(write))
    const row = outcome.get(getId(write))
    if (problem === undefined && row !== undefined) write.told?.(row)
    return problem
  })
}

const getId = (write: FeedbackWrite) => ('row' in write ? write.row.id : write.id)

/** A run has one project; what the caller says of it is a hint for the time before it arrives. */
function withRunKey<Row extends NewFeedback>(row: Row, runs: ReadonlyMap<string, RunKey>): Row {
  const run = runs.get(row.run_id)
  if (run === undefined) return row
  const { session_id, trace_id, start_time } = run
  return { ...row, session_id, trace_id, start_time }
}

function toTimes(row: NewFeedback, createdAt: string | undefined, now: string) {
  return { created_at: row.created_at ?? createdAt ?? now, modified_at: row.modified_at ?? now }
}

function applyChanges(row: FeedbackRow, changes: FeedbackChanges, now: string): FeedbackRow {
  return { ...row, ...changes, modified_at: now }
}

function hasSameKey(row: FeedbackRow | undefined, spot: RecordKey): boolean {
  return row !== undefined && row.run_id === spot.run_id && row.key === spot.key
}

function printTombstone(tenantId: string, { id, run_id, key, created_at }: RecordKey, version: number): string {
  return JSON.stringify({ tenant_id: tenantId, id, run_id, key, created_at, version, is_deleted: 1 })
}

async function selectRecordKeys(
  { analytics }: WriteFeedbackDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, RecordKey>> {
  const rows = await analytics.query<RecordKey>(sql`
    select id, run_id, key, created_at, version
    from feedback_keys final
    where tenant_id = ${uuid(tenantId)} and id in ${uuids([...new Set(ids)])}`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** A put needs the place of what it replaces, not the rest. */
function findKeysToRead(writes: readonly FeedbackWrite[], spots: ReadonlyMap<string, RecordKey>): RecordKey[] {
  const ids = new Set(writes.filter((write) => write.kind !== 'put').map(getId))
  return [...ids].flatMap((id) => spots.get(id) ?? [])
}

async function selectStored(
  { analytics }: WriteFeedbackDeps,
  tenantId: string,
  spots: readonly RecordKey[],
): Promise<Map<string, FeedbackRow>> {
  if (spots.length === 0) return new Map()
  const rows = await analytics.query<FeedbackRow>(sql`
    select ${literal(FEEDBACK_COLUMNS.join(', '))}
    from run_feedback final
    where tenant_id = ${uuid(tenantId)} and run_id in ${uuids(spots.map((spot) => spot.run_id))}
      and id in ${uuids(spots.map((spot) => spot.id))}`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** How much feedback meets a condition over the columns of `run_feedback`. */
export async function countFeedback(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  condition: Fragment,
): Promise<number> {
  const [row] = await analytics.query<{ n: string }>(sql`
    select count() as n from run_feedback final where tenant_id = ${uuid(tenantId)} and (${condition})`)
  return Number(row?.n ?? 0)
}

/**
 * Deletes feedback for good, e.g. that of a project that is deleted; readers see none of it once this settles.
 *
 * @param condition  over the columns of `run_feedback`; what it reads of runs must still be there
 */
export async function deleteFeedbackWhere(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  condition: Fragment,
): Promise<void> {
  const wanted = sql`tenant_id = ${uuid(tenantId)} and (${condition})`
  await analytics.command(
    sql`delete from feedback_keys where tenant_id = ${uuid(tenantId)} and id in (select id from run_feedback where ${wanted})`,
  )
  await analytics.command(sql`delete from run_feedback where ${wanted}`)
}

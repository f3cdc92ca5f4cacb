import { timeOfEpochMs } from '@touchstone/contract'
import type { Clock, Deps } from '../../deps.ts'
import type { Problems } from '../../outcome.ts'
import type { InsertRow } from '../../storage/analytics/port.ts'
import { columnTime, type Fragment, sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { COUNT_ROW, columns, count, type RowOf, text } from '../../storage/rows.ts'
import {
  ABSENT,
  FEEDBACK_COLUMNS,
  FEEDBACK_ROW,
  type FeedbackChanges,
  type FeedbackRow,
  type FeedbackWrite,
  type NewFeedback,
  NO_RUN,
  OVERTAKEN,
  type RunKey,
  selectRunKeys,
} from './feedback-row.ts'

export interface WriteFeedbackDeps extends Pick<Deps, 'analytics'> {
  readonly clock: Clock
  /** Returns a version that is free, like its successor. */
  readonly versions: { after(stored?: number): number }
  /** Appends rows as one block; returns the rows that could not be stored. */
  readonly insert: <Row extends InsertRow>(table: string, rows: readonly Row[]) => Promise<Problems<Row>>
}

const RECORD_KEY = columns({ id: text, run_id: text, key: text, created_at: text, version: count })

/** Sort key of a stored record. */
type RecordKey = RowOf<typeof RECORD_KEY>

/**
 * Stores writes of one tenant as one block. Must not run concurrently: changes are merged into the stored rows.
 *
 * @returns the writes that could not be stored
 */
export async function writeFeedback(
  deps: WriteFeedbackDeps,
  tenantId: string,
  writes: readonly FeedbackWrite[],
): Promise<Problems<FeedbackWrite>> {
  const recordKeys = await selectRecordKeys(deps, tenantId, writes.map(getId))
  const stored = await selectStored(deps, tenantId, findKeysToRead(writes, recordKeys))
  const given = writes.flatMap((write) => ('row' in write ? [write.row] : []))
  const runIds = [...given, ...stored.values()].map((row) => row.run_id).filter((id) => id !== NO_RUN)
  const runs = await selectRunKeys(deps, tenantId, runIds)
  const nowMs = deps.clock()
  // One microsecond apart, so that lists sorted by time keep the order within a request.
  const timeAt = (at: number) => columnTime(timeOfEpochMs(nowMs + at / 1000))

  /** New state of each record; undefined when it is deleted. */
  const outcome = new Map<string, FeedbackRow | undefined>(stored)
  const problems = new Map<FeedbackWrite, string>()
  for (const [at, write] of writes.entries()) {
    const id = getId(write)
    const now = timeAt(at)
    const before = outcome.get(id)
    if (write.kind === 'put' || (write.kind === 'merge' && before === undefined)) {
      const createdAt = before?.created_at ?? recordKeys.get(id)?.created_at
      outcome.set(id, { ...withRunKey(write.row, runs), ...toTimes(write.row, createdAt, now) })
    } else if (before === undefined) problems.set(write, ABSENT)
    else if (write.kind === 'change' && write.isExpected?.(before) === false) problems.set(write, OVERTAKEN)
    else
      outcome.set(id, write.kind === 'delete' ? undefined : applyChanges(withRunKey(before, runs), write.changes, now))
  }

  const rows: { readonly id: string; readonly json: string }[] = []
  for (const id of new Set(writes.filter((write) => !problems.has(write)).map(getId))) {
    const recordKey = recordKeys.get(id)
    const row = outcome.get(id)
    const version = deps.versions.after(recordKey?.version)
    if (recordKey !== undefined && !hasSameKey(row, recordKey))
      rows.push({ id, json: printTombstone(tenantId, recordKey, version) })
    if (row !== undefined) {
      rows.push({ id, json: JSON.stringify({ tenant_id: tenantId, ...row, version: version + 1, is_deleted: 0 }) })
    }
  }
  const failures = new Map<string, string>()
  for (const [row, problem] of await deps.insert('run_feedback', rows)) failures.set(row.id, problem)
  for (const write of writes) {
    if (problems.has(write)) continue
    const failure = failures.get(getId(write))
    const row = outcome.get(getId(write))
    if (failure !== undefined) problems.set(write, failure)
    else if (row !== undefined) write.onStored?.(row)
  }
  return problems
}

/** Stores the feedback of span ids again, under the ids of their runs: feedback may arrive before its span. */
export async function moveFeedback(
  deps: WriteFeedbackDeps,
  tenantId: string,
  spanIds: readonly string[],
): Promise<void> {
  const rows = await deps.analytics.query(
    sql`
      select ${FEEDBACK_COLUMNS}
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and run_id in ${uuids(spanIds)}`,
    FEEDBACK_ROW,
  )
  if (rows.length === 0) return
  await writeFeedback(
    deps,
    tenantId,
    rows.map((row) => ({ kind: 'put', row })),
  )
}

const getId = (write: FeedbackWrite) => ('row' in write ? write.row.id : write.id)

/** Adds the keys of the run, whose id replaces that of a span. The keys that the caller sent are only used until the run arrives. */
function withRunKey<Row extends NewFeedback>(row: Row, runs: ReadonlyMap<string, RunKey>): Row {
  const run = runs.get(row.run_id)
  if (run === undefined) return row
  const { id: run_id, session_id, trace_id, start_time } = run
  return { ...row, run_id, session_id, trace_id, start_time }
}

function toTimes(row: NewFeedback, createdAt: string | undefined, now: string) {
  return { created_at: row.created_at ?? createdAt ?? now, modified_at: row.modified_at ?? now }
}

function applyChanges(row: FeedbackRow, changes: FeedbackChanges, now: string): FeedbackRow {
  return { ...row, ...changes, modified_at: now }
}

function hasSameKey(row: FeedbackRow | undefined, recordKey: RecordKey): boolean {
  return row !== undefined && row.run_id === recordKey.run_id && row.key === recordKey.key
}

function printTombstone(tenantId: string, { id, run_id, key, created_at }: RecordKey, version: number): string {
  return JSON.stringify({ tenant_id: tenantId, id, run_id, key, created_at, version, is_deleted: 1 })
}

async function selectRecordKeys(
  { analytics }: WriteFeedbackDeps,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, RecordKey>> {
  const rows = await analytics.query(
    sql`
      select id, run_id, key, created_at, version
      from feedback_keys final
      where tenant_id = ${uuid(tenantId)} and id in ${uuids([...new Set(ids)])}`,
    RECORD_KEY,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** A put only needs the key of the record that it replaces, not the row. */
function findKeysToRead(writes: readonly FeedbackWrite[], recordKeys: ReadonlyMap<string, RecordKey>): RecordKey[] {
  const ids = new Set(writes.filter((write) => write.kind !== 'put').map(getId))
  return [...ids].flatMap((id) => recordKeys.get(id) ?? [])
}

async function selectStored(
  { analytics }: WriteFeedbackDeps,
  tenantId: string,
  recordKeys: readonly RecordKey[],
): Promise<Map<string, FeedbackRow>> {
  if (recordKeys.length === 0) return new Map()
  const rows = await analytics.query(
    sql`
      select ${FEEDBACK_COLUMNS}
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and run_id in ${uuids(recordKeys.map((recordKey) => recordKey.run_id))}
        and id in ${uuids(recordKeys.map((recordKey) => recordKey.id))}`,
    FEEDBACK_ROW,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Number of feedback records that satisfy a condition on the columns of `run_feedback`. */
export async function countFeedback(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  condition: Fragment,
): Promise<number> {
  const [row] = await analytics.query(
    sql`select count() as n from run_feedback final where tenant_id = ${uuid(tenantId)} and (${condition})`,
    COUNT_ROW,
  )
  return row?.n ?? 0
}

/**
 * Deletes feedback permanently, for example of a deleted project. Reads return none of it after this resolves.
 *
 * @param condition  on the columns of `run_feedback`; rows of runs that it reads must still exist
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

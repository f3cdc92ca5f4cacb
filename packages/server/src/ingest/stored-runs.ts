import type { Clock, Deps } from '../deps.ts'
import { literal, printedTime, sql, times, uuid, uuids } from '../storage/analytics/sql.ts'
import { columns, count, elements, list, nullable, number, type RowOf, record, text } from '../storage/rows.ts'

const COLUMNS = {
  tenant_id: text,
  session_id: text,
  start_time: text,
  id: text,
  trace_id: text,
  parent_run_id: nullable(text),
  dotted_order: text,
  name: text,
  run_type: text,
  status: text,
  end_time: nullable(text),
  first_token_time: nullable(text),
  error: text,
  /** The error without its stack trace, in one line. */
  error_line: text,
  inputs: text,
  outputs: text,
  extra: text,
  events: text,
  serialized: text,
  /** Metadata as entries; see storage/analytics/index-expressions.ts. */
  metadata: list(elements(columns({ key: text, value: text }))),
  tags: list(text),
  reference_example_id: nullable(text),
  thread_id: text,
  inputs_preview: text,
  outputs_preview: text,
  model: text,
  provider: text,
  prompt_tokens: nullable(count),
  completion_tokens: nullable(count),
  total_tokens: nullable(count),
  prompt_token_details: record(count),
  completion_token_details: record(count),
  prompt_cost: nullable(text),
  completion_cost: nullable(text),
  total_cost: nullable(text),
  prompt_cost_details: record(text),
  completion_cost_details: record(text),
  price_model_id: nullable(text),
  /** 0 or 1: whether the model call was charged for more than its tokens. */
  has_fees: number,
  /** `post` after a create, and the names of fields that an update set, which a later create does not change. */
  patched: list(text),
  received_at: text,
  /** The version of the first row of the run. */
  arrival: count,
  version: count,
  /** 0 or 1. */
  is_deleted: number,
}

const STORED_RUN = columns(COLUMNS)

/**
 * A row of the table `runs`, as it is inserted and as it is read for merging. Times are in the column's form, payloads
 * are JSON text ('' when absent), costs decimal text.
 */
export type StoredRun = RowOf<typeof STORED_RUN>

/** Rows written recently: the update of a run usually follows its create within seconds, and then needs no read. */
export interface RecentRuns {
  keep(row: StoredRun): void
  /** Returns the row if it is the stored version. */
  find(tenantId: string, id: string, version: number): StoredRun | undefined
}

/** @param maxBytes  maximum size of all rows in memory; the oldest rows are dropped first */
export function createRecentRuns(maxBytes: number): RecentRuns {
  const rows = new Map<string, StoredRun>()
  let bytes = 0

  function drop(key: string): void {
    const row = rows.get(key)
    if (row === undefined) return
    rows.delete(key)
    bytes -= weigh(row)
  }

  return {
    keep(row) {
      const key = toKey(row.tenant_id, row.id)
      drop(key)
      // A finished run is seldom written again, and a huge one takes too much memory.
      if (row.end_time !== null || weigh(row) > maxBytes / 16) return
      rows.set(key, row)
      bytes += weigh(row)
      for (const oldest of rows.keys()) {
        if (bytes <= maxBytes) break
        drop(oldest)
      }
    },
    find(tenantId, id, version) {
      const row = rows.get(toKey(tenantId, id))
      return row !== undefined && row.version === version ? row : undefined
    },
  }
}

const toKey = (tenantId: string, id: string) => `${tenantId}/${id}`

/** Memory of a row without its payloads, measured in a snapshot of the heap. */
const ROW_BYTES = 2_000

function weigh(row: StoredRun): number {
  const payload = row.inputs.length + row.outputs.length + row.extra.length + row.events.length + row.serialized.length
  return ROW_BYTES + payload + row.error.length
}

/** Row versions: microseconds of the clock, always larger than the last version and the replaced one. */
export interface Versions {
  /** Returns a version; neither it nor the next number is in use. */
  after(stored?: number): number
}

export function createVersions(clock: Clock): Versions {
  let last = 0
  return {
    after(stored = 0) {
      const version = Math.max(last + 1, stored + 1, clock() * 1000)
      last = version + 1
      return version
    },
  }
}

type ReadDeps = Pick<Deps, 'analytics'> & { readonly recent: RecentRuns }

const RUN_KEY = columns({ id: text, session_id: text, start_time: text, version: count, is_deleted: number })
type RunKey = RowOf<typeof RUN_KEY>

export interface StoredRuns {
  readonly stored: ReadonlyMap<string, StoredRun>
  /** Version of the tombstone by run id. */
  readonly deleted: ReadonlyMap<string, number>
}

/**
 * Reads the stored rows of runs that are about to be written: from memory if current, else from the store. The
 * newest key is selected here and not with `final`, which would hide the tombstones.
 */
export async function readStoredRuns(deps: ReadDeps, tenantId: string, ids: readonly string[]): Promise<StoredRuns> {
  const keys = await deps.analytics.query(
    sql`
      select id, session_id, start_time, version, is_deleted
      from run_keys
      where tenant_id = ${uuid(tenantId)} and id in ${uuids([...new Set(ids)])}
      order by version desc
      limit 1 by id`,
    RUN_KEY,
  )
  const stored = new Map<string, StoredRun>()
  const deleted = new Map<string, number>()
  const missing: RunKey[] = []
  for (const key of keys) {
    const recent = key.is_deleted ? undefined : deps.recent.find(tenantId, key.id, key.version)
    if (key.is_deleted) deleted.set(key.id, key.version)
    else if (recent !== undefined) stored.set(key.id, recent)
    else missing.push(key)
  }
  for (const row of await readRows(deps, tenantId, missing)) stored.set(row.id, row)
  return { stored, deleted }
}

async function readRows(deps: ReadDeps, tenantId: string, keys: readonly RunKey[]): Promise<StoredRun[]> {
  if (keys.length === 0) return []
  const sessions = uuids(keys.map((key) => key.session_id))
  const starts = times(keys.map((key) => printedTime(key.start_time)))
  return deps.analytics.query(
    sql`
      select ${literal(Object.keys(COLUMNS).join(', '))}
      from runs final
      where tenant_id = ${uuid(tenantId)}
        and (session_id, start_time, id) in arrayZip(${sessions}, ${starts}, ${uuids(keys.map((key) => key.id))})`,
    STORED_RUN,
  )
}

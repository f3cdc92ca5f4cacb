import type { Clock, Deps } from '../deps.ts'
import { literal, printedTime, sql, times, uuid, uuids } from '../storage/analytics/sql.ts'
import type { PendingWrite } from './place-writes.ts'

/**
 * A row of the table `runs`, as it is inserted and as it is read for merging. Times are in the column's form, payloads
 * are JSON text ('' when absent), 64-bit numbers may be strings when read.
 */
export interface StoredRun {
  readonly tenant_id: string
  readonly session_id: string
  readonly start_time: string
  readonly id: string
  readonly trace_id: string
  readonly parent_run_id: string | null
  readonly dotted_order: string
  readonly name: string
  readonly run_type: string
  readonly status: string
  readonly end_time: string | null
  readonly first_token_time: string | null
  readonly error: string
  readonly inputs: string
  readonly outputs: string
  readonly extra: string
  readonly events: string
  readonly serialized: string
  /** Metadata as entries; see storage/analytics/index-expressions.ts. */
  readonly metadata: readonly { readonly key: string; readonly value: string }[]
  readonly tags: readonly string[]
  readonly reference_example_id: string | null
  readonly thread_id: string
  readonly inputs_preview: string
  readonly outputs_preview: string
  readonly model: string
  readonly provider: string
  readonly prompt_tokens: number | string | null
  readonly completion_tokens: number | string | null
  readonly total_tokens: number | string | null
  readonly prompt_token_details: Readonly<Record<string, number | string>>
  readonly completion_token_details: Readonly<Record<string, number | string>>
  readonly prompt_cost: string | null
  readonly completion_cost: string | null
  readonly total_cost: string | null
  readonly prompt_cost_details: Readonly<Record<string, string>>
  readonly completion_cost_details: Readonly<Record<string, string>>
  readonly price_model_id: string | null
  /** `post` after a create, and the names of fields that an update set, which a later create does not change. */
  readonly patched: readonly string[]
  readonly received_at: string
  readonly version: number | string
  readonly is_deleted: 0 | 1
}

export const STORED_RUN_COLUMNS = [
  'tenant_id',
  'session_id',
  'start_time',
  'id',
  'trace_id',
  'parent_run_id',
  'dotted_order',
  'name',
  'run_type',
  'status',
  'end_time',
  'first_token_time',
  'error',
  'inputs',
  'outputs',
  'extra',
  'events',
  'serialized',
  'metadata',
  'tags',
  'reference_example_id',
  'thread_id',
  'inputs_preview',
  'outputs_preview',
  'model',
  'provider',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost',
  'completion_cost',
  'total_cost',
  'prompt_cost_details',
  'completion_cost_details',
  'price_model_id',
  'patched',
  'received_at',
  'version',
  'is_deleted',
] as const satisfies readonly (keyof StoredRun)[]

/** Rows written recently: the update of a run usually follows its create within seconds, and then needs no read. */
export interface RecentRuns {
  keep(row: StoredRun): void
  /** Returns the row if it is the stored version. */
  find(tenantId: string, id: string, version: string): StoredRun | undefined
}

/** @param maxBytes  maximum size of all payloads; the oldest rows are dropped first. @default 64 MiB */
export function createRecentRuns(maxBytes = 64 << 20): RecentRuns {
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
      return row !== undefined && String(row.version) === version ? row : undefined
    },
  }
}

const toKey = (tenantId: string, id: string) => `${tenantId}/${id}`

function weigh(row: StoredRun): number {
  const payload = row.inputs.length + row.outputs.length + row.extra.length + row.events.length + row.serialized.length
  return 1_000 + payload + row.error.length
}

/** Row versions: microseconds of the clock, always larger than the last version and the replaced one. */
export interface Versions {
  /** Returns a version; neither it nor the next number is in use. */
  after(stored?: number | string): number
}

export function createVersions(clock: Clock): Versions {
  let last = 0
  return {
    after(stored = 0) {
      const version = Math.max(last + 1, Number(stored) + 1, clock() * 1000)
      last = version + 1
      return version
    },
  }
}

type ReadDeps = Pick<Deps, 'analytics'> & { readonly recent: RecentRuns }

interface RunKey {
  readonly is_deleted: 0 | 1
  readonly id: string
  readonly session_id: string
  readonly start_time: string
  readonly version: string
}

interface StoredRuns {
  readonly stored: Map<string, StoredRun>
  /** Version of the tombstone by run id. */
  readonly deleted: Map<string, string>
}

/**
 * Reads the stored rows of the runs that are about to be written: from memory if current, else from the store. The
 * newest key is selected here and not with `final`, which would hide the tombstones.
 */
export async function readStoredRuns(
  deps: ReadDeps,
  tenantId: string,
  pending: readonly PendingWrite[],
): Promise<StoredRuns> {
  const ids = [...new Set(pending.map(({ write }) => write.id))]
  const keys = await deps.analytics.query<RunKey>(sql`
    select id, session_id, start_time, version, is_deleted
    from run_keys
    where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)}
    order by version desc
    limit 1 by id`)
  const stored = new Map<string, StoredRun>()
  const deleted = new Map<string, string>()
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
  return deps.analytics.query<StoredRun>(sql`
    select ${literal(STORED_RUN_COLUMNS.join(', '))}
    from runs final
    where tenant_id = ${uuid(tenantId)}
      and (session_id, start_time, id) in arrayZip(${sessions}, ${starts}, ${uuids(keys.map((key) => key.id))})`)
}

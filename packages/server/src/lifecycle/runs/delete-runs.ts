import type { RunDeletion } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { removeGoneItems } from '../../features/annotation-queues/items/index.ts'
import { countFeedback, deleteFeedbackWhere } from '../../features/feedback/index.ts'
import { revokeGone } from '../../features/sharing/tokens/index.ts'
import { type Fragment, join, literal, sql, text, texts, uint, uuid, uuids } from '../../storage/analytics/sql.ts'
import { type DeletionRecord, noteAttachments } from '../sweep/index.ts'
import { countLeft } from './count-left.ts'

type DeleteDeps = Pick<Deps, 'analytics' | 'relational'>

/** Traces deleted together. */
const BATCH = 1_000

/**
 * Deletes traces with their feedback, share tokens, places in annotation queues and the names of their attachments; readers
 * see none of it once this settles. Each run is closed by a tombstone, which every table follows and which later updates meet: they cannot bring it back.
 *
 * @param record  is told what is removed, and what a query still finds afterwards
 * @returns how many runs there were
 */
export async function deleteRuns(
  deps: DeleteDeps,
  tenantId: string,
  wanted: RunDeletion,
  record: DeletionRecord,
): Promise<number> {
  let deleted = 0
  for await (const traceIds of batchesOf(deps, tenantId, wanted)) {
    deleted += await deleteTraces(deps, tenantId, { traceIds, projectId: wanted.session_id ?? undefined }, record)
  }
  return deleted
}

interface DoomedTraces {
  readonly traceIds: readonly string[]
  /** Only runs of this project. */
  readonly projectId: string | undefined
}

/** The traces that are named, or those in which a run has the metadata, in the order of their ids. */
async function* batchesOf(
  { analytics }: DeleteDeps,
  tenantId: string,
  { session_id, trace_ids, metadata }: RunDeletion,
): AsyncGenerator<readonly string[]> {
  if (!metadata) {
    for (let at = 0; at < (trace_ids?.length ?? 0); at += BATCH) yield trace_ids!.slice(at, at + BATCH)
    return
  }
  const pairs = Object.entries(metadata).map(([key, values]) => hasOneOf(key, [values].flat()))
  const ofProject = session_id ? sql` and session_id = ${uuid(session_id)}` : literal('')
  for (let after: string | undefined; ; ) {
    const beyond = after === undefined ? literal('') : sql` and trace_id > ${uuid(after)}`
    const rows = await analytics.query<{ trace_id: string }>(sql`
      select distinct trace_id from runs final
      where tenant_id = ${uuid(tenantId)}${ofProject} and ${join(pairs)}${beyond}
      order by trace_id
      limit ${uint(BATCH)}`)
    if (rows.length > 0) yield rows.map((row) => row.trace_id)
    if (rows.length < BATCH) return
    after = rows.at(-1)!.trace_id
  }
}

const ROUNDS = 3

async function deleteTraces(
  deps: DeleteDeps,
  tenantId: string,
  traces: DoomedTraces,
  record: DeletionRecord,
): Promise<number> {
  const doomed = doomedRuns(tenantId, traces)
  const ids = sql`run_id in (select id from trace_runs final where ${doomed})`
  let deleted = 0
  // A write that read a run before its tombstone may land after it; one more round closes that, too.
  for (let round = 0; round < ROUNDS; round++) {
    const runs = await countRuns(deps, doomed)
    if (runs === 0) break
    deleted += runs
    await record.count({ runs, feedback: await countFeedback(deps, tenantId, ids) })
    await noteAttachments(deps, tenantId, ids, record)
    await deleteFeedbackWhere(deps, tenantId, ids)
    await deps.analytics.command(sql`delete from run_attachments where tenant_id = ${uuid(tenantId)} and ${ids}`)
    await closeRuns(deps, tenantId, doomed)
  }
  if (deleted > 0) {
    const shares = await revokeGone(deps, tenantId)
    await record.count({ shares, queue_items: await removeGoneItems(deps, tenantId, traces.traceIds) })
    record.foundLeft(await countLeft(deps, tenantId, doomed))
  }
  return deleted
}

/** Conditions on `trace_runs`. */
function doomedRuns(tenantId: string, { traceIds, projectId }: DoomedTraces): Fragment {
  const ofProject = projectId ? sql` and session_id = ${uuid(projectId)}` : literal('')
  return sql`tenant_id = ${uuid(tenantId)} and trace_id in ${uuids(traceIds)}${ofProject}`
}

/** A string of metadata is stored with a `"` before it, any other value as its JSON text. */
function hasOneOf(key: string, values: readonly (string | number | boolean)[]): Fragment {
  const stored = values.map((value) => (typeof value === 'string' ? `"${value}` : JSON.stringify(value)))
  return sql`arrayExists((name, value) -> name = ${text(key)} and value in ${texts(stored)}, metadata.key, metadata.value)`
}

async function countRuns({ analytics }: DeleteDeps, doomed: Fragment): Promise<number> {
  const [row] = await analytics.query<{ n: string }>(sql`select count() as n from trace_runs final where ${doomed}`)
  return Number(row?.n ?? 0)
}

/** What the tables that hold some runs only choose by; without it they would not see the tombstone. */
const CHOSEN_BY = `parent_run_id, run_type, prompt_tokens, completion_tokens, total_tokens, prompt_cost, completion_cost,
  total_cost`

async function closeRuns({ analytics }: DeleteDeps, tenantId: string, doomed: Fragment): Promise<void> {
  const key = 'tenant_id, session_id, start_time, id, trace_id'
  await analytics.command(sql`
    insert into runs (${literal(`${key}, ${CHOSEN_BY}, version, is_deleted`)})
    select ${literal(`${key}, ${CHOSEN_BY}, version + 1, 1`)}
    from runs final
    where tenant_id = ${uuid(tenantId)}
      and (session_id, start_time, id) in (select session_id, start_time, id from trace_runs final where ${doomed})`)
}

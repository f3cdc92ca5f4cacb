import type { RunDeletion } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type Fragment, join, literal, sql, text, texts, uuid, uuids } from '../../storage/analytics/sql.ts'
import { deleteFeedbackWhere } from '../feedback/index.ts'
import { removeGoneItems } from '../queue-items/index.ts'
import { revokeGone } from '../share-tokens/index.ts'

type DeleteDeps = Pick<Deps, 'analytics' | 'relational'>

/**
 * Deletes traces with their feedback, share tokens, places in annotation queues and the names of their attachments; readers
 * see none of it once this settles. Each run is closed by a tombstone, which every table follows and which later updates meet: they cannot bring it back.
 *
 * @returns how many runs there were
 */
export async function deleteRuns(deps: DeleteDeps, tenantId: string, wish: RunDeletion): Promise<number> {
  const doomed = doomedRuns(tenantId, wish)
  const ids = sql`run_id in (select id from trace_runs final where ${doomed})`
  let deleted = 0
  // A write that read a run before its tombstone may land after it; one more round closes that, too.
  for (let round = 0; round < ROUNDS; round++) {
    const count = await countRuns(deps, doomed)
    if (count === 0) break
    deleted += count
    await deleteFeedbackWhere(deps, tenantId, ids)
    await deps.analytics.command(sql`delete from run_attachments where tenant_id = ${uuid(tenantId)} and ${ids}`)
    await closeRuns(deps, tenantId, doomed)
  }
  if (deleted > 0) {
    await revokeGone(deps, tenantId)
    await removeGoneItems(deps, tenantId, wish.metadata ? undefined : wish.trace_ids)
  }
  return deleted
}

const ROUNDS = 3

/** Conditions on `trace_runs`. */
function doomedRuns(tenantId: string, { session_id, trace_ids, metadata }: RunDeletion): Fragment {
  const tenant = sql`tenant_id = ${uuid(tenantId)}`
  const ofProject = session_id ? sql` and session_id = ${uuid(session_id)}` : literal('')
  if (!metadata) return sql`${tenant} and trace_id in ${uuids(trace_ids ?? [])}${ofProject}`
  const pairs = Object.entries(metadata).map(([key, values]) => hasOneOf(key, [values].flat()))
  return sql`${tenant}${ofProject} and trace_id in (
      select trace_id from runs final where ${tenant}${ofProject} and ${join(pairs)})`
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

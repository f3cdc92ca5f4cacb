import type { RunConditions } from '@touchstone/contract'
import { idIn } from '../../storage/analytics/run-aliases.ts'
import { type Fragment, join, sql, text, time, uuid, uuids } from '../../storage/analytics/sql.ts'
import { type FeedbackWindow, toFilterConditions } from './filter/index.ts'
import type { RunCursor } from './read-page.ts'
import { whereTrace } from './where-trace.ts'

/** `order` only affects the cursor: newest first unless `asc`. */
type Conditions = RunConditions & {
  readonly order?: 'asc' | 'desc' | null | undefined
  /** Clauses on feedback match records that were last changed within this window. */
  readonly feedbackWindow?: FeedbackWindow | undefined
}

/** The conditions of a query, owner first. Ids and traces are resolved to sort keys through the lookup tables. */
export function whereRuns(tenantId: string, query: Conditions, cursor?: RunCursor): Fragment {
  const tenant = uuid(tenantId)
  const conditions: Fragment[] = [sql`tenant_id = ${tenant}`]
  const add = (condition: Fragment | undefined) => {
    if (condition !== undefined) conditions.push(condition)
  }

  if (query.id?.length) {
    // Documented upstream: with ids, the other conditions are ignored.
    add(whereRunIds(tenantId, query.id))
    return join([...conditions, ...whereAfter(query, cursor)], '\n      and ')
  }
  if (query.session?.length) add(whereProjects(query.session))
  if (query.trace) add(whereTrace(tenantId, query.trace))
  if (query.parent_run) add(sql`parent_run_id = ${uuid(query.parent_run)}`)
  if (query.start_time) add(sql`start_time >= ${time(query.start_time)}`)
  if (query.end_time) add(sql`start_time <= ${time(query.end_time)}`)
  if (query.run_type) add(sql`run_type = ${text(query.run_type)}`)
  if (query.is_root === true || query.execution_order === 1) add(sql`parent_run_id is null`)
  if (query.is_root === false) add(sql`parent_run_id is not null`)
  if (query.error === true) add(sql`error != ''`)
  if (query.error === false) add(sql`error = ''`)
  if (query.reference_example?.length) add(sql`reference_example_id in ${uuids(query.reference_example)}`)
  conditions.push(...toFilterConditions(tenantId, query))
  return join([...conditions, ...whereAfter(query, cursor)], '\n      and ')
}

/** One project, the usual case, is an equality: only then does the engine read in key order and stop early. */
function whereProjects(ids: readonly string[]): Fragment {
  const [id, ...others] = ids
  return id !== undefined && others.length === 0 ? sql`session_id = ${uuid(id)}` : sql`session_id in ${uuids(ids)}`
}

function whereAfter(query: Conditions, cursor: RunCursor | undefined): Fragment[] {
  if (cursor === undefined) return []
  const start = time(cursor.startTime)
  // The first condition repeats half of the second, because the primary key index does not support tuple comparisons.
  return query.order === 'asc'
    ? [sql`start_time >= ${start} and (start_time, id) > (${start}, ${uuid(cursor.id)})`]
    : [sql`start_time <= ${start} and (start_time, id) < (${start}, ${uuid(cursor.id)})`]
}

/** Finds runs by id through the lookup table, which has their sort keys. */
export function whereRunIds(tenantId: string, ids: readonly string[]): Fragment {
  return sql`(session_id, start_time, id) in (
        select session_id, start_time, id from run_keys final
        where tenant_id = ${uuid(tenantId)} and ${idIn(tenantId, ids)})`
}

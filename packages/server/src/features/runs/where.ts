import type { RunConditions } from '@touchstone/contract'
import { type Fragment, join, sql, text, time, uuid, uuids } from '../../storage/analytics/sql.ts'
import { type FeedbackWindow, toFilterConditions } from './filter/index.ts'
import type { RunCursor } from './read-page.ts'

/** `order` matters to a cursor only: newest first unless `asc`. */
type Conditions = RunConditions & {
  readonly order?: 'asc' | 'desc' | null | undefined
  /** When the feedback was last changed that clauses on feedback speak of. */
  readonly feedbackWindow?: FeedbackWindow | undefined
}

/** The conditions of a query, owner first; ids and traces are turned into the sort key by the lookup tables. */
export function whereRuns(tenantId: string, query: Conditions, cursor?: RunCursor): Fragment {
  const tenant = uuid(tenantId)
  const conditions: Fragment[] = [sql`tenant_id = ${tenant}`]
  const add = (condition: Fragment | undefined) => {
    if (condition !== undefined) conditions.push(condition)
  }

  if (query.id?.length) {
    // Documented upstream: given ids, the other conditions are not applied.
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

/** One project, the usual case, is an equality: only then does the engine read in the order of the key and stop early. */
function whereProjects(ids: readonly string[]): Fragment {
  return ids.length === 1 ? sql`session_id = ${uuid(ids[0]!)}` : sql`session_id in ${uuids(ids)}`
}

function whereAfter(query: Conditions, cursor: RunCursor | undefined): Fragment[] {
  if (cursor === undefined) return []
  const start = time(cursor.startTime)
  // The first condition repeats half of the second for the primary key, which a tuple comparison does not use.
  return query.order === 'asc'
    ? [sql`start_time >= ${start} and (start_time, id) > (${start}, ${uuid(cursor.id)})`]
    : [sql`start_time <= ${start} and (start_time, id) < (${start}, ${uuid(cursor.id)})`]
}

/** Ids alone lead to few rows: the lookup gives their places in the sort key. */
export function whereRunIds(tenantId: string, ids: readonly string[]): Fragment {
  return sql`(session_id, start_time, id) in (
        select session_id, start_time, id from run_keys final
        where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)})`
}

/** A trace is found as ids are: 19 ms by its projects and its ends in time, 14 ms by the places of its runs. */
function whereTrace(tenantId: string, traceId: string): Fragment {
  const trace = uuid(traceId)
  return sql`trace_id = ${trace}
      and (session_id, start_time, id) in (
        select session_id, start_time, id from trace_runs where tenant_id = ${uuid(tenantId)} and trace_id = ${trace})`
}

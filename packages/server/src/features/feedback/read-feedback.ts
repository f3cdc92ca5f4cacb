import { ApiError, type FeedbackListQuery } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { RawJson } from '../../http/raw-json.ts'
import { type Fragment, literal, sql, uint, uuid } from '../../storage/analytics/sql.ts'
import { ABSENT, FEEDBACK_COLUMNS, type FeedbackRow, NO_RUN } from './feedback-row.ts'
import { presentFeedback } from './present.ts'
import { keysOfRuns } from './run-keys.ts'
import { whereOf } from './where.ts'

type ReadDeps = Pick<Deps, 'analytics'>

const COLUMNS = literal(FEEDBACK_COLUMNS.join(', '))

/** @throws ApiError NOT_FOUND */
export async function getFeedback(deps: ReadDeps, tenantId: string, id: string): Promise<FeedbackRow> {
  const tenant = uuid(tenantId)
  const rows = await deps.analytics.query<FeedbackRow>(sql`
    select ${COLUMNS}
    from run_feedback final
    where tenant_id = ${tenant} and (run_id, key, id) in (
      select run_id, key, id from feedback_keys final where tenant_id = ${tenant} and id = ${uuid(id)})`)
  const [row] = await withRuns(deps, tenantId, rows)
  if (row === undefined) throw new ApiError('NOT_FOUND', ABSENT)
  return row
}

/**
 * A page of feedback as a JSON array, newest first.
 *
 * @param withinRuns  a select of run ids, all that a public reader may see: feedback on other runs and on projects is
 *   left out, and the project is not told
 */
export async function listFeedback(
  deps: ReadDeps,
  tenantId: string,
  query: FeedbackListQuery,
  withinRuns?: Fragment,
): Promise<RawJson> {
  // The page is found by narrow columns first: comments and values of what is skipped are never read.
  const rows = await deps.analytics.query<FeedbackRow>(sql`
    select ${COLUMNS}
    from run_feedback final
    where tenant_id = ${uuid(tenantId)} and (run_id, key, id) in (
      select run_id, key, id
      from run_feedback final
      where ${whereOf(tenantId, query, withinRuns)}
      order by created_at desc, id desc
      limit ${uint(query.limit)} offset ${uint(query.offset)})
    order by created_at desc, id desc`)
  const found = await withRuns(deps, tenantId, rows)
  const shown = withinRuns === undefined ? found : found.map((row) => ({ ...row, session_id: null }))
  return new RawJson(`[${shown.map(presentFeedback).join(',')}]`)
}

/** Fills in what became known when a run arrived after its feedback, or moved. */
async function withRuns(deps: ReadDeps, tenantId: string, rows: readonly FeedbackRow[]): Promise<FeedbackRow[]> {
  const runIds = rows.flatMap((row) => (row.run_id === NO_RUN ? [] : [row.run_id]))
  const runs = await keysOfRuns(deps, tenantId, runIds)
  return rows.map((row) => {
    const run = runs.get(row.run_id)
    if (run === undefined) return row
    const { session_id, trace_id, start_time } = run
    return { ...row, session_id, trace_id, start_time }
  })
}

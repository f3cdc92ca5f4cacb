import type { FeedbackConditions } from '@touchstone/contract'
import { type Fragment, join, sql, text, texts, time, uuid, uuids } from '../../storage/analytics/sql.ts'
import { NO_RUN } from './feedback-row.ts'

/**
 * The conditions of a feedback query over `run_feedback`, owner first.
 *
 * @param withinRuns  a select of run ids; feedback on other runs and on projects is left out
 */
export function whereOf(tenantId: string, query: FeedbackConditions, withinRuns?: Fragment): Fragment {
  const conditions: Fragment[] = [sql`tenant_id = ${uuid(tenantId)}`]
  const add = (condition: Fragment) => conditions.push(condition)
  const onRun = sql`run_id != ${uuid(NO_RUN)}`

  if (withinRuns) add(sql`${onRun} and run_id in (${withinRuns})`)
  if (query.run) add(sql`run_id in ${uuids(query.run)} and ${onRun}`)
  if (query.level) add(query.level === 'run' ? onRun : sql`run_id = ${uuid(NO_RUN)}`)
  if (query.key) add(sql`key in ${texts(query.key)}`)
  if (query.source) add(sql`source_type in ${texts(query.source)}`)
  if (query.session) add(ofProjects(tenantId, query.session))
  if (query.user) add(sql`toUUIDOrNull(JSONExtractString(feedback_source, 'user_id')) in ${uuids(query.user)}`)
  if (query.has_comment !== undefined) add(query.has_comment ? HAS_COMMENT : sql`not ${HAS_COMMENT}`)
  if (query.has_score !== undefined) add(query.has_score ? sql`score is not null` : sql`score is null`)
  if (query.comparative_experiment_id) {
    add(sql`comparative_experiment_id = ${uuid(query.comparative_experiment_id)}`)
  }
  if (query.feedback_thread_id) add(sql`feedback_thread_id = ${text(query.feedback_thread_id)}`)
  if (query.min_created_at) add(sql`created_at >= ${time(query.min_created_at)}`)
  if (query.max_created_at) add(sql`created_at <= ${time(query.max_created_at)}`)
  return join(conditions, '\n      and ')
}

const HAS_COMMENT = sql`(ifNull(comment, '') != '')`

/** Feedback whose run arrived after it does not know its project; those runs are looked up. */
export function ofProjects(tenantId: string, ids: readonly string[]): Fragment {
  const tenant = uuid(tenantId)
  return sql`(session_id in ${uuids(ids)} or (session_id is null and run_id in (
        select id from run_keys final
        where tenant_id = ${tenant} and session_id in ${uuids(ids)} and id in (
          select run_id from run_feedback where tenant_id = ${tenant} and session_id is null))))`
}

import { ApiError, type FeedbackConditions, type FeedbackListQuery } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { RawJson } from '../../http/serve.ts'
import { type Fragment, join, literal, sql, text, texts, time, uint, uuid, uuids } from '../../storage/analytics/sql.ts'
import { ABSENT, FEEDBACK_COLUMNS, FEEDBACK_ROW, type FeedbackRow, NO_RUN, selectRunKeys } from './feedback-row.ts'
import { presentFeedback } from './present.ts'
import { type FeedbackStats, summarizeRecords } from './summarize-records.ts'

type ReadDeps = Pick<Deps, 'analytics'>

/** @throws ApiError NOT_FOUND */
export async function getFeedback(deps: ReadDeps, tenantId: string, id: string): Promise<FeedbackRow> {
  const tenant = uuid(tenantId)
  const rows = await deps.analytics.query(
    sql`
      select ${FEEDBACK_COLUMNS}
      from run_feedback final
      where tenant_id = ${tenant} and (run_id, key, id) in (
        select run_id, key, id from feedback_keys final where tenant_id = ${tenant} and id = ${uuid(id)})`,
    FEEDBACK_ROW,
  )
  const [row] = await withRuns(deps, tenantId, rows)
  if (row === undefined) throw new ApiError('NOT_FOUND', ABSENT)
  return row
}

/** What a reader sees of the feedback. */
interface FeedbackView {
  /** A select of run ids, for public readers: feedback on other runs and on projects is omitted, and so are project ids. */
  readonly withinRuns?: Fragment | undefined
}

/** A page of feedback as a JSON array, newest first. */
export async function listFeedback(
  deps: ReadDeps,
  tenantId: string,
  query: FeedbackListQuery,
  view: FeedbackView = {},
): Promise<RawJson> {
  const { withinRuns } = view
  // The subquery selects the page by narrow columns: comments and values of skipped rows are never read.
  const rows = await deps.analytics.query(
    sql`
      select ${FEEDBACK_COLUMNS}
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and (run_id, key, id) in (
        select run_id, key, id
        from run_feedback final
        where ${whereFeedback(tenantId, query, view)}
        order by created_at desc, id desc
        limit ${uint(query.limit)} offset ${uint(query.offset)})
      order by created_at desc, id desc`,
    FEEDBACK_ROW,
  )
  const found = await withRuns(deps, tenantId, rows)
  const shown = withinRuns === undefined ? found : found.map((row) => ({ ...row, session_id: null }))
  return new RawJson(`[${shown.map(presentFeedback).join(',')}]`)
}

/** Adds the keys of runs that arrived after their feedback, or moved. */
async function withRuns(deps: ReadDeps, tenantId: string, rows: readonly FeedbackRow[]): Promise<FeedbackRow[]> {
  const runIds = rows.flatMap((row) => (row.run_id === NO_RUN ? [] : [row.run_id]))
  const runs = await selectRunKeys(deps, tenantId, runIds)
  return rows.map((row) => {
    const run = runs.get(row.run_id)
    if (run === undefined) return row
    const { session_id, trace_id, start_time } = run
    return { ...row, session_id, trace_id, start_time }
  })
}

/** The conditions of a feedback query over `run_feedback`, owner first. */
function whereFeedback(tenantId: string, query: FeedbackConditions, { withinRuns }: FeedbackView): Fragment {
  const conditions: Fragment[] = [sql`tenant_id = ${uuid(tenantId)}`]
  const add = (condition: Fragment) => conditions.push(condition)
  const onRun = sql`run_id != ${uuid(NO_RUN)}`

  if (withinRuns) add(sql`${onRun} and run_id in (${withinRuns})`)
  if (query.run) add(sql`run_id in ${uuids(query.run)} and ${onRun}`)
  if (query.level) add(query.level === 'run' ? onRun : sql`run_id = ${uuid(NO_RUN)}`)
  if (query.key) add(sql`key in ${texts(query.key)}`)
  if (query.source) add(sql`source_type in ${texts(query.source)}`)
  if (query.session) add(whereProjects(tenantId, query.session))
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

/** Feedback that arrived before its run has no project; the projects of these runs are looked up. */
export function whereProjects(tenantId: string, ids: readonly string[]): Fragment {
  const tenant = uuid(tenantId)
  return sql`(session_id in ${uuids(ids)} or (session_id is null and run_id in (
        select id from run_keys final
        where tenant_id = ${tenant} and session_id in ${uuids(ids)} and id in (
          select run_id from run_feedback where tenant_id = ${tenant} and session_id is null))))`
}

/** The feedback on one run. */
export interface RunFeedback {
  readonly stats: FeedbackStats
  /** JSON text of each record, oldest first. */
  readonly records: readonly string[]
}

interface RatedRun {
  readonly id: string
  readonly session_id: string
  readonly trace_id: string
  /** In the column store's form. */
  readonly start_time: string
}

/**
 * Feedback records and figures by run id; runs without feedback are absent.
 *
 * @param comparativeExperimentId  includes feedback of this comparison; feedback of other comparisons is omitted
 */
export async function readRunFeedback(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runs: readonly RatedRun[],
  comparativeExperimentId?: string | null | undefined,
): Promise<Map<string, RunFeedback>> {
  if (runs.length === 0) return new Map()
  const orInComparison = comparativeExperimentId
    ? sql`or comparative_experiment_id = ${uuid(comparativeExperimentId)}`
    : literal('')
  const rows = await analytics.query(
    sql`
      select ${FEEDBACK_COLUMNS}
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and run_id in ${uuids(runs.map((run) => run.id))}
        and (comparative_experiment_id is null ${orInComparison})
      order by created_at, id`,
    FEEDBACK_ROW,
  )
  const stats = summarizeRecords(rows.map((row) => ({ ...row, owner: row.run_id })))
  const runsById = new Map(runs.map((run) => [run.id, run]))
  const records = new Map<string, string[]>()
  for (const row of rows) {
    // Feedback that arrived before its run does not have the keys of the run.
    const run = runsById.get(row.run_id)
    if (run === undefined) continue
    const { session_id, trace_id, start_time } = run
    const text = presentFeedback({ ...row, session_id, trace_id, start_time })
    const others = records.get(row.run_id)
    if (others === undefined) records.set(row.run_id, [text])
    else others.push(text)
  }
  return new Map(Array.from(records, ([id, texts]) => [id, { stats: stats.get(id) ?? {}, records: texts }]))
}

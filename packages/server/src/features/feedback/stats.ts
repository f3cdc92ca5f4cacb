import { type ComparativeStat, type FeedbackKeyUsage, type FeedbackStat, MAX_FEEDBACK_KEYS } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type Fragment, literal, printedTime, sql, time, uint, uuid, uuids } from '../../storage/analytics/sql.ts'
import { ANY_ROW, columns, count, each, list, nullable, number, pair, type RowOf, text } from '../../storage/rows.ts'
import { NO_RUN } from './feedback-row.ts'
import { whereProjects } from './read-feedback.ts'
import { type FeedbackStats, STAT_COLUMNS, STAT_INPUT, setOwn, summarizeRecords } from './summarize-records.ts'

export type { FeedbackStats } from './summarize-records.ts'

type StatsDeps = Pick<Deps, 'analytics'>

/** Up to this number, records are fetched and summarized here: 2 ms for a run instead of 7 ms in the engine. */
const RECORDS_TO_FETCH = 2000

/** Figures of the feedback on each of the runs, by run id; runs without feedback are absent. */
export async function readRunFeedbackStats(
  deps: StatsDeps,
  tenantId: string,
  runIds: readonly string[],
): Promise<Map<string, FeedbackStats>> {
  if (runIds.length === 0) return new Map()
  const rows = sql`
      select ${INPUTS}, toString(run_id) as owner
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and run_id in ${uuids([...new Set(runIds)])} and ${ORDINARY}`
  const fetched = await deps.analytics.query(sql`${rows} limit ${uint(RECORDS_TO_FETCH + 1)}`, STAT_INPUT)
  return fetched.length <= RECORDS_TO_FETCH ? summarizeRecords(fetched) : selectStatsByOwner(deps, rows)
}

/**
 * Figures of the feedback on many runs together.
 *
 * @param runIds  a select of run ids of the tenant
 */
export async function readFeedbackStats(deps: StatsDeps, tenantId: string, runIds: Fragment): Promise<FeedbackStats> {
  const rows = sql`
      select ${INPUTS}, '' as owner
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and run_id in (${runIds}) and ${ORDINARY}`
  return (await selectStatsByOwner(deps, rows)).get('') ?? {}
}

/**
 * Figures of the feedback on many runs, grouped by an owner.
 *
 * @param owners  a select of `id`, a run of the tenant, and `owner`, text
 */
export function readFeedbackStatsByOwner(
  deps: StatsDeps,
  tenantId: string,
  owners: Fragment,
): Promise<Map<string, FeedbackStats>> {
  const rows = sql`
      select ${INPUTS}, owned.owner as owner
      from (
        select ${INPUTS}, run_id from run_feedback final
        where tenant_id = ${uuid(tenantId)} and run_id in (select id from (${owners})) and ${ORDINARY}
      ) as feedback
      inner join (${owners}) as owned on owned.id = feedback.run_id`
  return selectStatsByOwner(deps, rows)
}

/**
 * Figures over all runs of each project, by project id; projects without feedback are absent.
 *
 * @param since  only feedback on runs that started at this time or later, in the contract's printed form
 */
export function readProjectRunFeedbackStats(
  deps: StatsDeps,
  tenantId: string,
  projectIds: readonly string[],
  since?: string,
): Promise<Map<string, FeedbackStats>> {
  if (projectIds.length === 0) return Promise.resolve(new Map())
  const tenant = uuid(tenantId)
  // Feedback that arrived before its run has at most a project; the run provides the rest.
  const rows = sql`
      select ${INPUTS}, ifNull(feedback.session_id, run.session_id) as owner
      from (
        select * from run_feedback final
        where tenant_id = ${tenant} and run_id != ${uuid(NO_RUN)} and ${whereProjects(tenantId, projectIds)} and ${ORDINARY}
      ) as feedback
      left join (
        select id, session_id, start_time as started from run_keys final
        where tenant_id = ${tenant} and id in (
          select run_id from run_feedback
          where tenant_id = ${tenant} and (session_id is null or start_time is null))
      ) as run on run.id = feedback.run_id
      ${since === undefined ? literal('') : sql`where ifNull(feedback.start_time, run.started) >= ${time(since)}`}`
  return selectStatsByOwner(deps, rows)
}

/** Whether some feedback arrived before its run and therefore has no project or time. */
export async function hasFeedbackBeforeRuns({ analytics }: StatsDeps, tenantId: string): Promise<boolean> {
  const found = await analytics.query(
    sql`
      select 1 from run_feedback
      where tenant_id = ${uuid(tenantId)} and run_id != ${uuid(NO_RUN)} and (session_id is null or start_time is null)
      limit 1`,
    ANY_ROW,
  )
  return found.length > 0
}

/** Figures of the feedback on projects themselves, without that on their threads, by project id; projects without feedback are absent. */
export function readSessionFeedbackStats(
  deps: StatsDeps,
  tenantId: string,
  projectIds: readonly string[],
): Promise<Map<string, FeedbackStats>> {
  if (projectIds.length === 0) return Promise.resolve(new Map())
  const rows = sql`
      select ${INPUTS}, assumeNotNull(session_id) as owner
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and run_id = ${uuid(NO_RUN)} and session_id in ${uuids(projectIds)}
        and feedback_thread_id = '' and ${ORDINARY}`
  return selectStatsByOwner(deps, rows)
}

/**
 * Figures of the feedback on threads, grouped by an owner.
 *
 * @param projectIds  projects of the threads; empty means all
 * @param owners  a select of `id`, a thread of the tenant, and `owner`, text; may contain duplicates
 */
export function readThreadFeedbackStats(
  deps: StatsDeps,
  tenantId: string,
  projectIds: readonly string[],
  owners: Fragment,
): Promise<Map<string, FeedbackStats>> {
  const rows = sql`
      select ${INPUTS}, owned.owner as owner
      from (
        select ${INPUTS} from run_feedback final
        where tenant_id = ${uuid(tenantId)} and feedback_thread_id != '' and ${ORDINARY}
          and ${projectIds.length > 0 ? whereProjects(tenantId, projectIds) : literal('true')}
      ) as feedback
      inner join (select distinct id, owner from (${owners})) as owned on owned.id = feedback.feedback_thread_id`
  return selectStatsByOwner(deps, rows)
}

/**
 * Figures of the feedback on threads of one project and on their turns.
 *
 * @param turns  a select of `id` and `thread_id` of root runs
 * @param by  'thread' returns figures by thread id, 'all' the figures of all threads together under ''
 */
export function readConversationFeedbackStats(
  deps: StatsDeps,
  tenantId: string,
  projectId: string,
  turns: Fragment,
  by: 'thread' | 'all',
): Promise<Map<string, FeedbackStats>> {
  const tenant = uuid(tenantId)
  const ownerOf = (column: string) => literal(by === 'thread' ? column : "''")
  const rows = sql`
      select ${INPUTS}, ${ownerOf('turn.thread_id')} as owner
      from (
        select ${INPUTS}, run_id from run_feedback final
        where tenant_id = ${tenant} and run_id in (select id from (${turns})) and ${ORDINARY}
      ) as feedback
      inner join (${turns}) as turn on turn.id = feedback.run_id
      union all
      select ${INPUTS}, ${ownerOf('feedback_thread_id')} as owner
      from run_feedback final
      where ${whereOnThreads(tenantId, projectId)} and ${ORDINARY}
        and feedback_thread_id in (select thread_id from (${turns}))`
  return selectStatsByOwner(deps, rows)
}

/** Feedback on threads of a project themselves, rather than on one of their runs; a condition on `run_feedback`. */
export function whereOnThreads(tenantId: string, projectId: string): Fragment {
  return sql`tenant_id = ${uuid(tenantId)} and run_id = ${uuid(NO_RUN)} and session_id = ${uuid(projectId)}
        and feedback_thread_id != ''`
}

/** The select list of `STAT_COLUMNS`. */
const INPUTS = literal(Object.keys(STAT_COLUMNS).join(', '))

/** Excludes feedback of comparisons, which belongs to the comparison and not to its experiments. */
const ORDINARY = literal('comparative_experiment_id is null')

const STAT_ROW = columns({
  owner: text,
  key: text,
  ...each(['n', 'scores', 'errors', 'on_threads'], count),
  ...each(['avg', 'min', 'max', 'stdev'], nullable(number)),
  /** Label and number of records. */
  labels: list(pair(text, count)),
  comments: list(text),
  sources: list(text),
})

/** @param rows  a select of `INPUTS` and `owner`, by which the figures are grouped */
async function selectStatsByOwner({ analytics }: StatsDeps, rows: Fragment): Promise<Map<string, FeedbackStats>> {
  const found = await analytics.query(
    sql`
      select owner, key,
        count() as n, count(score) as scores, avg(score) as avg, min(score) as min, max(score) as max,
        stddevSampStable(score) as stdev,
        countIf(error = 1) as errors,
        arraySlice(
          arraySort(one -> (-toInt64(one.2), one.1), CAST(sumMapIf(map(label, toUInt64(1)), label != ''), 'Array(Tuple(String, UInt64))')),
          1, 100) as labels,
        groupArrayIf(10)(substringUTF8(assumeNotNull(comment), 1, 500), ifNull(comment, '') != '') as comments,
        arraySort(groupUniqArray(10)(toString(source_type))) as sources,
        countIf(feedback_thread_id != '') as on_threads
      from (${rows})
      group by owner, key
      order by owner, key`,
    STAT_ROW,
  )
  const byOwner = new Map<string, FeedbackStats>()
  for (const row of found) {
    const stats = byOwner.get(row.owner) ?? {}
    byOwner.set(row.owner, stats)
    setOwn(stats, row.key, presentStat(row))
  }
  return byOwner
}

function presentStat(row: RowOf<typeof STAT_ROW>): FeedbackStat {
  const values: Record<string, number> = {}
  for (const [label, n] of row.labels) setOwn(values, label, n)
  return {
    n: row.n,
    avg: row.avg,
    min: row.min,
    max: row.max,
    stdev: row.scores < 2 ? null : row.stdev,
    errors: row.errors,
    values,
    comments: [...row.comments],
    sources: [...row.sources],
    contains_thread_feedback: row.on_threads > 0,
  }
}

/** Number of records of each key of the workspace, most used first. */
export async function countFeedbackByKey(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
): Promise<{ keys: FeedbackKeyUsage[]; has_more: boolean }> {
  const rows = await analytics.query(
    sql`
      select key, count() as n, max(created_at) as last
      from run_feedback final
      where tenant_id = ${uuid(tenantId)}
      group by key
      order by n desc, key
      limit ${uint(MAX_FEEDBACK_KEYS + 1)}`,
    columns({ key: text, n: count, last: text }),
  )
  const keys = rows.slice(0, MAX_FEEDBACK_KEYS).map(({ key, n, last }) => ({
    feedback_key: key,
    feedback_count: n,
    last_given_at: printedTime(last),
  }))
  return { keys, has_more: rows.length > MAX_FEEDBACK_KEYS }
}

/** Results of comparisons: comparison → key → experiment → figures. Comparisons without feedback are absent. */
export async function readComparativeStats(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  comparisonIds: readonly string[],
): Promise<Map<string, Map<string, Map<string, ComparativeStat>>>> {
  const found = new Map<string, Map<string, Map<string, ComparativeStat>>>()
  if (comparisonIds.length === 0) return found
  const tenant = uuid(tenantId)
  const given = sql`
      select assumeNotNull(comparative_experiment_id) as comparison, run_id, key, session_id, score
      from run_feedback final
      where tenant_id = ${tenant} and comparative_experiment_id in ${uuids(comparisonIds)}`
  // Feedback that arrived before its run has at most a project; the run provides the rest.
  const rows = await analytics.query(
    sql`
      select comparison, key, assumeNotNull(ifNull(feedback.session_id, run.session_id)) as session,
        count() as n, avg(score) as average
      from (${given}) as feedback
      left join (
        select id, toNullable(session_id) as session_id from run_keys final
        where tenant_id = ${tenant} and id in (select run_id from (${given}) where run_id != ${uuid(NO_RUN)})
      ) as run on run.id = feedback.run_id
      where ifNull(feedback.session_id, run.session_id) is not null
      group by comparison, key, session
      order by key, session`,
    columns({ comparison: text, key: text, session: text, n: count, average: nullable(number) }),
  )
  for (const { comparison, key, session, n, average } of rows) {
    const keys = found.get(comparison) ?? new Map<string, Map<string, ComparativeStat>>()
    const sides = keys.get(key) ?? new Map<string, ComparativeStat>()
    sides.set(session, { n, avg: average })
    keys.set(key, sides)
    found.set(comparison, keys)
  }
  return found
}

import type { RunConditions, RunStats, RunStatsQuery } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type Fragment, literal, sql, texts, uint } from '../../../storage/analytics/sql.ts'
import { columns, count, nullable, text } from '../../../storage/rows.ts'
import {
  readFeedbackStats,
  readFeedbackStatsByOwner,
  readSessionFeedbackStats,
  readThreadFeedbackStats,
} from '../../feedback/index.ts'
import { selectExperimentIds } from '../../projects/index.ts'
import { readFacetList } from './facets.ts'
import { presentFigures, selectFigures, toFigureColumns } from './figures.ts'
import { planUsage, selectMatchedRuns, selectRatedRuns, selectThreadsOfRuns, toGroups } from './matched-runs.ts'

export type StatsDeps = Pick<Deps, 'analytics' | 'relational'>

/** Figures of a query, or of each of its groups by name, the largest groups first. */
export async function readStats(
  deps: StatsDeps,
  tenantId: string,
  asked: RunStatsQuery,
): Promise<RunStats | Record<string, RunStats>> {
  const query = await restrictToExperiments(deps, tenantId, asked)
  return query.group_by ? readByGroup(deps, tenantId, query, query.group_by) : readOne(deps, tenantId, query)
}

/** An id that no project has. */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000'

async function restrictToExperiments(deps: StatsDeps, tenantId: string, query: RunStatsQuery): Promise<RunStatsQuery> {
  if (!query.reference_dataset_id) return query
  const experiments = await selectExperimentIds(deps, tenantId, query.reference_dataset_id)
  const { session: asked } = query
  const session = asked?.length ? experiments.filter((id) => asked.includes(id)) : experiments
  return { ...query, session: session.length > 0 ? session : [NO_PROJECT] }
}

async function readOne(deps: StatsDeps, tenantId: string, query: RunStatsQuery): Promise<RunStats> {
  const wants = toSelector(query)
  const details = wantsDetails(query)
  const plan = await planUsage(deps, tenantId, query)
  const matched = selectMatchedRuns(tenantId, query, { details, plan })
  const [[row], feedback, facets, onProject, threads] = await Promise.all([
    deps.analytics.query(sql`select ${selectFigures(details)} from (${matched})`, columns(toFigureColumns(details))),
    wants('feedback_stats') ? readFeedbackStats(deps, tenantId, selectRatedRunIds(tenantId, query)) : undefined,
    wants('run_facets') ? readFacetList(deps, tenantId, query) : undefined,
    isSelected(query, 'session_feedback_stats') ? readProjectFeedback(deps, tenantId, query) : undefined,
    isSelected(query, 'thread_feedback_stats')
      ? readThreadFeedback(
          deps,
          tenantId,
          query,
          sql`select thread_id as id, '' as owner from (${selectThreadsOfRuns(tenantId, query)})`,
        )
      : undefined,
  ])
  if (row === undefined) throw new Error('The aggregation returned no row.')
  const figures = { ...presentFigures(row), feedback_stats: feedback, run_facets: facets }
  return {
    ...pickSelected(figures, wants),
    ...(onProject && { session_feedback_stats: onProject }),
    ...(threads && { thread_feedback_stats: threads.get('') ?? {} }),
  }
}

const selectRatedRunIds = (tenantId: string, query: RunConditions) =>
  sql`select run_id from (${selectRatedRuns(tenantId, query)})`

/** Feedback on one project itself; one map cannot distinguish several projects. */
async function readProjectFeedback(deps: StatsDeps, tenantId: string, { session }: RunConditions) {
  const [projectId, ...others] = session ?? []
  if (projectId === undefined || others.length > 0) return null
  return (await readSessionFeedbackStats(deps, tenantId, [projectId])).get(projectId) ?? {}
}

/** Feedback on threads themselves. */
function readThreadFeedback(deps: StatsDeps, tenantId: string, { session }: RunConditions, owners: Fragment) {
  return readThreadFeedbackStats(deps, tenantId, session ?? [], owners)
}

async function readByGroup(
  deps: StatsDeps,
  tenantId: string,
  query: RunStatsQuery,
  grouping: NonNullable<RunStatsQuery['group_by']>,
): Promise<Record<string, RunStats>> {
  const wants = toSelector(query)
  const details = wantsDetails(query)
  const plan = await planUsage(deps, tenantId, query)
  const matched = selectMatchedRuns(tenantId, query, { details, plan, groups: toGroups(grouping) })
  const rows = await deps.analytics.query(
    sql`
    select of_group, count() over () as group_count, ${selectFigures(details)}
    from (select *, arrayJoin(groups) as of_group from (${matched}))
    where ${isWanted(query.groups)}
    group by of_group
    order by run_count desc, of_group
    limit ${uint(grouping.max_groups)}`,
    columns({ of_group: nullable(text), group_count: count, ...toFigureColumns(details) }),
  )
  const groups = toGroups(grouping)
  const [feedback, threads] = await Promise.all([
    wants('feedback_stats')
      ? readFeedbackStatsByOwner(
          deps,
          tenantId,
          selectOwners('run_id', selectRatedRuns(tenantId, query, groups), query.groups),
        )
      : undefined,
    isSelected(query, 'thread_feedback_stats')
      ? readThreadFeedback(
          deps,
          tenantId,
          query,
          selectOwners('thread_id', selectThreadsOfRuns(tenantId, query, groups), query.groups),
        )
      : undefined,
  ])
  const entries = rows.map((row): [string, RunStats] => {
    const owner = toOwner(row.of_group)
    const stats = {
      ...pickSelected({ ...presentFigures(row), feedback_stats: feedback && (feedback.get(owner) ?? {}) }, wants),
      ...(threads && { thread_feedback_stats: threads.get(owner) ?? {} }),
      ...(isSelected(query, 'group_count') && { group_count: row.group_count }),
    }
    return [row.of_group ?? 'null', stats]
  })
  return Object.fromEntries(entries)
}

/** Runs or threads by group. The leading `=` distinguishes a group from the lack of one. */
function selectOwners(column: 'run_id' | 'thread_id', matched: Fragment, groups: RunStatsQuery['groups']): Fragment {
  return sql`
    select ${literal(column)} as id, if(of_group is null, '', concat('=', of_group)) as owner
    from (select ${literal(column)}, arrayJoin(groups) as of_group from (${matched}))
    where ${isWanted(groups)}`
}

const toOwner = (group: string | null) => (group === null ? '' : `=${group}`)

/** Runs without the attribute are a group only when it is requested. */
function isWanted(groups: RunStatsQuery['groups']): Fragment {
  if (!groups) return literal('of_group is not null')
  const named = groups.filter((group) => group !== null)
  return groups.includes(null)
    ? sql`(of_group is null or of_group in ${texts(named)})`
    : sql`of_group in ${texts(named)}`
}

const DETAILS = ['prompt_token_details', 'completion_token_details', 'prompt_cost_details', 'completion_cost_details']

/** Figures that are returned only when selected. Facets count every value of every run and are slow. */
const ONLY_SELECTED = ['latency_avg', 'run_facets']

/** Names that select several figures. */
const KINDS: Readonly<Record<string, (name: string) => boolean>> = {
  all_run_stats: (name) => !name.includes('tokens') && !name.endsWith('_details'),
  all_token_stats: (name) => name.includes('tokens'),
}

type Selector = (figure: string) => boolean

/** Whether a figure is selected by its own name. */
function isSelected({ select: names }: RunStatsQuery, figure: string): boolean {
  return Boolean(names?.includes(figure))
}

function toSelector({ select: names }: RunStatsQuery): Selector {
  if (!names) return (figure) => !ONLY_SELECTED.includes(figure)
  return (figure) => names.some((name) => name === figure || (Object.hasOwn(KINDS, name) && KINDS[name]!(figure)))
}

function wantsDetails(query: RunStatsQuery): boolean {
  return Boolean(query.include_details) || DETAILS.some((name) => query.select?.includes(name))
}

function pickSelected(stats: RunStats, wants: Selector): RunStats {
  return Object.fromEntries(Object.entries(stats).filter(([name, value]) => value !== undefined && wants(name)))
}

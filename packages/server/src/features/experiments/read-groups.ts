import { type GroupedRunsQuery, isStorable, RunConditions, type RunGroupStats } from '@touchstone/contract'
import { entryText, type JsonScalar } from '@touchstone/formats/outline-json'
import { addRawMembers } from '@touchstone/formats/write-object'
import { and, sql as relationalSql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { type Fragment, literal, printedTime, sql, text, texts, uuids } from '../../storage/analytics/sql.ts'
import { columns, list, text as string } from '../../storage/rows.ts'
import { exampleStates, findExamples, isInNewestVersion } from '../datasets/examples/index.ts'
import { readFeedbackStatsByOwner } from '../feedback/index.ts'
import type { RunViewDeps } from '../runs/index.ts'
import {
  type FigureRow,
  presentFigures,
  selectFigures,
  selectMatchedRuns,
  selectRatedRuns,
  toFigureColumns,
} from '../runs/stats/index.ts'
import { type FindDeps, findExperiments, selectMatchingExampleIds, selectOrderedIds } from './find-page.ts'
import { presentExampleRuns, presentRatedRun, toFields } from './present.ts'
import { type ExampleRuns, readExamplesWithRuns } from './read-examples-with-runs.ts'
import { matchesRoots } from './read-scores.ts'

const DEFAULT_LIMIT = 10

/**
 * A page of groups of examples, as JSON text, the groups with the most runs first. Each group has figures over all its
 * runs, and its first examples with their runs of the group. Sessions that do not exist are left out.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset, or when no session exists; INVALID_REQUEST for a session over another
 *   dataset
 */
export async function readGroups(
  deps: RunViewDeps,
  tenantId: string,
  datasetId: string,
  given: GroupedRunsQuery,
): Promise<string> {
  const { experiments, missingIds } = await findExperiments(deps, tenantId, datasetId, given.session_ids, given.filters)
  const sessionIds = experiments.map(({ id }) => id)
  const query = { ...given, session_ids: sessionIds }
  const { example_ids } = query
  const missing = missingIds.length > 0 ? `,"missing_session_ids":${JSON.stringify(missingIds)}` : ''
  const matching = await selectMatchingExampleIds(deps, tenantId, { filters: query.filters, exampleIds: example_ids })
  const ids = (await selectOrderedIds(deps, tenantId, datasetId, { exampleIds: example_ids })).filter(
    (id) => matching?.has(id) ?? true,
  )
  const narrowed = matching || example_ids ? ids : undefined
  if (ids.length === 0) return `{"groups":[]${missing}}`

  const group = await toGroupExpression(deps, tenantId, datasetId, query)
  const members = await selectGroupIds(deps, tenantId, sessionIds, narrowed, group, 'reference_example_id')
  const figures = await readGroupFigures(deps, tenantId, { sessionIds, exampleIds: narrowed, group })
  const from = query.offset ?? 0
  const page = [...figures]
    .sort(([one, { all }], [other, { all: others }]) => others.count - all.count || (one < other ? -1 : 1))
    .slice(from, from + (query.limit ?? DEFAULT_LIMIT))
    .map(([value, figuresOfGroup]) => {
      const inGroup = members.get(value) ?? new Set()
      const exampleIds = ids.filter((id) => inGroup.has(id)).slice(0, query.per_group_limit)
      return { value, figures: figuresOfGroup, exampleIds }
    })
  const shownIds = [...new Set(page.flatMap(({ exampleIds }) => exampleIds))]
  const examples = await readShownExamples(deps, tenantId, datasetId, query, shownIds)
  const groupRuns = await selectGroupIds(deps, tenantId, sessionIds, shownIds, group, 'id')

  const fields = toFields(query.preview === true)
  const texts = page.map(({ value, figures: { all, bySession }, exampleIds }) => {
    const runIds = groupRuns.get(value) ?? new Set()
    const shown = exampleIds
      .flatMap((id) => examples.get(id) ?? [])
      .map(({ example, runs }) => ({ example, runs: runs.filter(({ view }) => runIds.has(view.row.id)) }))
    const printed = shown.map((one) => presentExampleRuns(one, (run) => presentRatedRun(run, fields)))
    const head = {
      group_key: toGroupKey(value),
      filter: printGroupFilter(query, value),
      ...all,
      sessions: experiments.flatMap(({ id, name }) => presentSession(bySession, id, name)),
      example_count: members.get(value)?.size ?? 0,
    }
    return addRawMembers(head, { examples: `[${printed.join(',')}]` })
  })
  return `{"groups":[${texts.join(',')}]${missing}}`
}

function presentSession(bySession: GroupFigures['bySession'], id: string, name: string) {
  const stats = bySession.get(id)
  return stats === undefined ? [] : [{ id, name, ...stats }]
}

async function readShownExamples(
  deps: RunViewDeps,
  tenantId: string,
  datasetId: string,
  { session_ids, preview, comparative_experiment_id }: GroupedRunsQuery,
  ids: readonly string[],
): Promise<Map<string, ExampleRuns>> {
  if (ids.length === 0) return new Map()
  const found = await findExamples(deps, tenantId, { dataset: datasetId, id: [...ids], limit: ids.length })
  const wanted = {
    sessionIds: session_ids,
    fields: toFields(preview === true),
    comparativeExperimentId: comparative_experiment_id,
  }
  const examples = new Map<string, ExampleRuns>()
  for await (const some of readExamplesWithRuns(deps, tenantId, found, wanted)) {
    for (const one of some) examples.set(one.example.id, one)
  }
  return examples
}

/** Figures of a group and of each of its sessions. */
export interface GroupFigures {
  readonly all: RunGroupStats
  readonly bySession: ReadonlyMap<string, RunGroupStats>
}

interface GroupedRuns {
  readonly sessionIds: readonly string[]
  readonly exampleIds?: readonly string[] | undefined
  /** Only runs that started at this time or later. */
  readonly since?: string | null | undefined
  readonly group: GroupExpression
}

/** Figures over the root runs of experiments, with the usage of their traces, by the value of the group. */
export async function readGroupFigures(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  { sessionIds, exampleIds, since, group }: GroupedRuns,
): Promise<Map<string, GroupFigures>> {
  const roots = RunConditions.parse({
    session: sessionIds,
    is_root: true,
    reference_example: exampleIds,
    start_time: since,
  })
  const groups = sql`[toNullable(toString(session_id)), ${group}]`
  const rated = selectRatedRuns(tenantId, roots, groups)
  const owners = sql`
    select run_id as id,
      arrayJoin([concat(' ', assumeNotNull(groups[2])), concat(assumeNotNull(groups[1]), ' ', assumeNotNull(groups[2]))]) as owner
    from (${rated}) where groups[2] is not null`
  const [rows, feedback] = await Promise.all([
    deps.analytics.query(
      sql`
      select assumeNotNull(groups[2]) as value, assumeNotNull(groups[1]) as session, min(began) as first_began,
        ${selectFigures(false)}
      from (${selectMatchedRuns(tenantId, roots, { groups })})
      where groups[2] is not null
      group by grouping sets ((value), (value, session))`,
      columns({ value: string, session: string, first_began: string, ...toFigureColumns(false) }),
    ),
    readFeedbackStatsByOwner(deps, tenantId, owners),
  ])
  interface Found {
    all?: RunGroupStats
    readonly bySession: Map<string, RunGroupStats>
  }
  const found = new Map<string, Found>()
  for (const row of rows) {
    const stats = presentGroup(row, feedback.get(`${row.session} ${row.value}`) ?? {})
    const entry: Found = found.get(row.value) ?? { bySession: new Map() }
    // Rows of whole groups have no session.
    if (row.session === '') entry.all = stats
    else entry.bySession.set(row.session, stats)
    found.set(row.value, entry)
  }
  return new Map(
    [...found].flatMap(([value, { all, bySession }]) =>
      all === undefined ? [] : [[value, { all, bySession }] as const],
    ),
  )
}

function presentGroup(
  row: FigureRow & { first_began: string },
  feedback_stats: RunGroupStats['feedback_stats'],
): RunGroupStats {
  const figures = presentFigures(row)
  return {
    count: figures.run_count,
    total_tokens: figures.total_tokens,
    prompt_tokens: figures.prompt_tokens,
    completion_tokens: figures.completion_tokens,
    total_cost: row.sum_total_cost,
    prompt_cost: row.sum_prompt_cost,
    completion_cost: row.sum_completion_cost,
    reported_cost: row.sum_reported_cost,
    unpriced_fees: figures.unpriced_fees,
    error_rate: figures.error_rate,
    latency_p50: figures.latency_p50,
    latency_p99: figures.latency_p99,
    min_start_time: printedTime(row.first_began),
    max_start_time: figures.last_run_start_time,
    feedback_stats,
  }
}

/** SQL of the group of a run: a nullable text over the columns of `runs`; null for runs without a group. */
type GroupExpression = Fragment

/** SQL of the metadata value to group by, in the stored form: a string after a `"`, other values as JSON text. */
async function toGroupExpression(
  deps: FindDeps,
  tenantId: string,
  datasetId: string,
  { group_by, metadata_key: key }: Pick<GroupedRunsQuery, 'group_by' | 'metadata_key'>,
): Promise<GroupExpression> {
  if (group_by === 'run_metadata') {
    return sql`if(has(metadata.key, ${text(key)}), toNullable(metadata.value[indexOf(metadata.key, ${text(key)})]), null)`
  }
  const values = await selectExampleValues(deps, tenantId, datasetId, key)
  if (values.size === 0) return literal("CAST(null, 'Nullable(String)')")
  const [ids, found] = [[...values.keys()], [...values.values()]]
  return sql`nullIf(transform(assumeNotNull(reference_example_id), ${uuids(ids)}, ${texts(found)}, ''), '')`
}

async function selectExampleValues(
  { relational }: FindDeps,
  tenantId: string,
  datasetId: string,
  key: string,
): Promise<Map<string, string>> {
  if (!isStorable(key)) return new Map() // no stored key contains such text
  const value = relationalSql<string | null>`(${exampleStates.metadata_index} -> ${key}::text)::text`
  const rows = await relational.db
    .select({ id: exampleStates.example_id, value })
    .from(exampleStates)
    .where(and(isInNewestVersion(tenantId, datasetId), relationalSql`${value} is not null`))
  return new Map(
    rows.flatMap((row) => (row.value === null ? [] : [[row.id, toStoredValue(JSON.parse(row.value))] as const])),
  )
}

/** Lists and objects are JSON text. */
function toStoredValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : entryText(value as JsonScalar)
}

/** Converts a stored value to its form on the wire. */
function toGroupKey(stored: string): string {
  return stored.startsWith('"') ? stored.slice(1) : stored
}

/** A filter that matches the runs or examples of a group. */
function printGroupFilter({ group_by, metadata_key }: GroupedRunsQuery, stored: string): string {
  const key = JSON.stringify(metadata_key)
  const value = stored.startsWith('"') ? JSON.stringify(stored.slice(1)) : stored
  if (group_by === 'run_metadata') return `and(eq(metadata_key, ${key}), eq(metadata_value, ${value}))`
  return `has(metadata, ${JSON.stringify(`{${key}:${value}}`)})`
}

/** Ids of the runs of each group or of their examples, by the stored value of the group. */
async function selectGroupIds(
  { analytics }: FindDeps,
  tenantId: string,
  sessionIds: readonly string[],
  exampleIds: readonly string[] | undefined,
  group: GroupExpression,
  column: 'id' | 'reference_example_id',
): Promise<Map<string, ReadonlySet<string>>> {
  const rows = await analytics.query(
    sql`
    select assumeNotNull(found) as value, groupUniqArray(assumeNotNull(${literal(column)})) as ids
    from (
      select ${group} as found, ${literal(column)}
      from runs final
      where ${matchesRoots(tenantId, sessionIds, exampleIds)}
    )
    where found is not null
    group by value`,
    columns({ value: string, ids: list(string) }),
  )
  return new Map(rows.map((row) => [row.value, new Set(row.ids)]))
}

import {
  ApiError,
  type DatasetV2ListQuery,
  type FeedbackStat,
  microsOf,
  type ProjectListQuery,
  type ProjectType,
  type ProjectV2ListQuery,
} from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import { printObject } from '@touchstone/formats/write-object'
import { and, inArray, isNotNull, isNull, not, or, type SQL } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { listDatasets } from '../../features/datasets/index.ts'
import { selectAgentProjectIds } from '../../features/projects/agents/index.ts'
import { listProjects, presentProject, projects, type StatsDeps } from '../../features/projects/index.ts'
import { decodeCursor, encodeCursor } from '../../http/cursor.ts'
import { RawJson } from '../../http/serve.ts'

export type ListDeps = Pick<Deps, 'relational' | 'clock'> & StatsDeps

const MAX_STATS_MICROS = 31n * 24n * 60n * 60n * 1_000_000n

/** A page of projects in the form that generated clients read. */
export async function listProjectsV2(deps: ListDeps, tenantId: string, query: ProjectV2ListQuery): Promise<RawJson> {
  assertRecentStats(deps, query.stats_start_time)
  const offset = parseOffset(query.cursor)
  if (query.tag_value_id?.length) return new RawJson(presentPage([], 0, query.page_size))
  const ofAgents = new Set(await selectAgentProjectIds(deps, tenantId))
  const where = whereTypes(query.type ?? [], [...ofAgents])
  const found = await listProjects(deps, tenantId, toV1Query(query, offset), where)
  const texts = found.map(({ row, stats }) => {
    const type = row.reference_dataset_id !== null ? 'EXPERIMENT' : ofAgents.has(row.id) ? 'AGENT' : 'PROJECT'
    return presentProjectV2(presentProject(row, stats), type)
  })
  return new RawJson(presentPage(texts, offset, query.page_size))
}

/** A page of datasets. */
export async function listDatasetsV2(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  { sort_order, page_size, cursor, tag_value_id, ...query }: DatasetV2ListQuery,
): Promise<RawJson> {
  const offset = parseOffset(cursor)
  if (tag_value_id?.length) return new RawJson(presentPage([], 0, page_size))
  const page = { sort_by_desc: sort_order === 'desc', offset, limit: page_size + 1 }
  return new RawJson(presentPage(await listDatasets(deps, tenantId, { ...query, ...page }), offset, page_size))
}

function assertRecentStats({ clock }: Pick<Deps, 'clock'>, since: string | undefined): void {
  if (since === undefined) return
  if (BigInt(clock()) * 1000n - microsOf(since) <= MAX_STATS_MICROS) return
  throw new ApiError('INVALID_REQUEST', 'stats_start_time must lie within the last 31 days')
}

function toV1Query(query: ProjectV2ListQuery, offset: number): ProjectListQuery {
  return {
    id: query.id,
    name: query.name,
    name_contains: query.name_contains,
    metadata: query.metadata,
    filter: query.filter,
    reference_dataset: query.reference_dataset_id,
    dataset_version: query.dataset_version,
    include_stats: query.include_stats || query.include_facets,
    stats_start_time: query.stats_start_time,
    stats_filter: query.stats_filter,
    stats_select: query.stats_select,
    facets: query.include_facets,
    sort_by: query.sort_by.toLowerCase() as ProjectListQuery['sort_by'],
    sort_by_desc: query.sort_order === 'desc',
    sort_by_feedback_key: query.sort_by_feedback_key,
    sort_by_feedback_source: query.sort_by_feedback_source === 'SESSION' ? 'session' : 'run',
    offset,
    limit: query.page_size + 1,
  }
}

function whereTypes(types: readonly ProjectType[], ofAgents: readonly string[]): SQL | undefined {
  if (types.length === 0) return undefined
  const isOfAgent = inArray(projects.id, [...ofAgents])
  const conditions: Readonly<Record<ProjectType, SQL | undefined>> = {
    EXPERIMENT: isNotNull(projects.reference_dataset_id),
    AGENT: and(isNull(projects.reference_dataset_id), isOfAgent),
    PROJECT: and(isNull(projects.reference_dataset_id), not(isOfAgent)),
  }
  return or(...types.map((type) => conditions[type]))
}

const TIERS: Readonly<Record<string, string>> = { longlived: '"LONG_LIVED"', shortlived: '"SHORT_LIVED"' }

/** Rewrites single members, so that `extra` keeps its raw JSON. */
function presentProjectV2(text: string, type: ProjectType): string {
  const members = new Map(splitMembers(text))
  members.set('type', JSON.stringify(type))
  members.set('trace_tier', TIERS[(members.get('trace_tier') ?? '').replaceAll(/["_-]/g, '').toLowerCase()] ?? 'null')
  for (const cost of ['total_cost', 'prompt_cost', 'completion_cost']) {
    const decimal = members.get(cost)
    if (decimal !== undefined) members.set(cost, decimal.replaceAll('"', ''))
  }
  for (const stats of ['feedback_stats', 'session_feedback_stats']) {
    const found = members.get(stats)
    if (found !== undefined && found !== 'null') members.set(stats, presentStats(found))
  }
  return printObject(members)
}

function presentStats(text: string): string {
  const stats = Object.entries(JSON.parse(text) as Record<string, FeedbackStat>)
  const missing = { contains_thread_feedback: false, errors: 0, values: {} }
  return JSON.stringify(
    Object.fromEntries(stats.map(([key, stat]) => [key, { ...missing, ...stat, type: 'PRIMARY', median: null }])),
  )
}

/** Cursor of a list whose order may change between pages: an offset. */
function printOffset(offset: number): string {
  return encodeCursor([offset])
}

/**
 * @param cursor  @default the first page
 * @throws ApiError INVALID_REQUEST when the text is not a cursor of this server
 */
function parseOffset(cursor: string | undefined): number {
  if (!cursor) return 0
  return decodeCursor(cursor, ([offset]) =>
    typeof offset === 'number' && Number.isSafeInteger(offset) && offset > 0 ? offset : undefined,
  )
}

/** JSON text of a page, given the texts of its items and of the first item after them. */
function presentPage(texts: readonly string[], offset: number, pageSize: number): string {
  const next = texts.length > pageSize ? JSON.stringify(printOffset(offset + pageSize)) : 'null'
  return `{"items":[${texts.slice(0, pageSize).join(',')}],"next_cursor":${next}}`
}

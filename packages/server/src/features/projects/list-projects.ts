import { ApiError, PROJECT_FILTERS, type ProjectListQuery, parseFilter, parseTime } from '@touchstone/contract'
import { and, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { filterToSql, readMetadataQuery } from '../../storage/relational/filter.ts'
import { type ProjectRow, projects } from '../../storage/relational/tables/projects.ts'
import { countRoots } from './figures.ts'
import { type ProjectStats, readSelectedStats, readStats, type StatsDeps } from './stats.ts'
import { type ProjectFilter, selectDatasetVersions, selectPage, selectProjectIds, selectProjectsById } from './store.ts'

export interface ListedProject {
  readonly row: ProjectRow
  readonly stats: Partial<ProjectStats> | undefined
}

type ListDeps = Pick<Deps, 'relational'> & StatsDeps

/**
 * A page of the projects of a query.
 *
 * @param also  a further condition on columns of `projects`
 */
export async function listProjects(
  deps: ListDeps,
  tenantId: string,
  query: ProjectListQuery,
  also?: SQL,
): Promise<ListedProject[]> {
  const asked = await toProjectFilter(deps, tenantId, query)
  const filter = { ...asked, filter: and(asked.filter, also) }
  const figure = findFigure(query)
  if (figure !== undefined) return listByFigure(deps, tenantId, query, filter, figure)
  const rows = await selectPage(deps.relational.db, tenantId, filter, {
    orderBy: query.sort_by === 'name' ? 'name' : 'start_time',
    isDescending: query.sort_by_desc,
    offset: query.offset,
    limit: query.limit,
  })
  const stats = await readPageStats(deps, tenantId, rows, query)
  return rows.map((row) => ({ row, stats: stats.get(row.id) }))
}

/** The figure that projects are sorted by. */
type Figure = (stats: ProjectStats) => string | number | null | undefined

const FIGURES: Partial<Record<ProjectListQuery['sort_by'], Figure>> = {
  last_run_start_time: (stats) => stats.last_run_start_time,
  latency_p50: (stats) => stats.latency_p50,
  latency_p99: (stats) => stats.latency_p99,
  error_rate: (stats) => stats.error_rate,
  runs_count: (stats) => stats.run_count,
}

/** @throws ApiError INVALID_REQUEST for a sort by feedback without its key */
function findFigure({
  sort_by,
  sort_by_feedback_key: key,
  sort_by_feedback_source,
}: ProjectListQuery): Figure | undefined {
  if (sort_by !== 'feedback') return FIGURES[sort_by]
  if (key === undefined) throw new ApiError('INVALID_REQUEST', 'sort_by=feedback needs sort_by_feedback_key')
  const source = sort_by_feedback_source === 'session' ? 'session_feedback_stats' : 'feedback_stats'
  return (stats) => (Object.hasOwn(stats[source] ?? {}, key) ? stats[source]?.[key]?.avg : null)
}

/** Figures are in the other store, so those of all matching projects are read to select the rows of the page. */
async function listByFigure(
  deps: ListDeps,
  tenantId: string,
  query: ProjectListQuery,
  filter: ProjectFilter,
  figure: Figure,
): Promise<ListedProject[]> {
  const ids = await selectProjectIds(deps.relational.db, tenantId, filter)
  const all = await readStats(deps, tenantId, ids, query)
  const getFigure = (id: string) => {
    const stats = all.get(id)
    return (stats && figure(stats)) ?? null
  }
  const page = ids
    .sort(
      (one, other) => compareFigures(getFigure(one), getFigure(other), query.sort_by_desc) || (one < other ? -1 : 1),
    )
    .slice(query.offset, query.offset + query.limit)
  const rows = await selectProjectsById(deps, tenantId, page)
  const stats = await readPageStats(deps, tenantId, [...rows.values()], query)
  return page.flatMap((id) => {
    const row = rows.get(id)
    return row === undefined ? [] : [{ row, stats: stats.get(id) }]
  })
}

/** Projects without the figure come last in both directions. */
function compareFigures(one: string | number | null, other: string | number | null, isDescending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (one === other) return 0
  return one < other === isDescending ? 1 : -1
}

/** Clients poll lists until an experiment has all its runs, so runs of experiments are always counted. */
async function readPageStats(
  deps: ListDeps,
  tenantId: string,
  rows: readonly ProjectRow[],
  query: ProjectListQuery,
): Promise<Map<string, Partial<ProjectStats>>> {
  if (query.include_stats) {
    const ids = rows.map((row) => row.id)
    return readSelectedStats(deps, tenantId, ids, query)
  }
  const experiments = rows.filter((row) => row.reference_dataset_id !== null).map((row) => row.id)
  const counts = await countRoots(deps, tenantId, experiments)
  return new Map(experiments.map((id) => [id, { run_count: counts.get(id) ?? 0 }]))
}

async function toProjectFilter(
  { relational }: ListDeps,
  tenantId: string,
  query: ProjectListQuery,
): Promise<ProjectFilter> {
  const filter = toConditions(query)
  if (query.dataset_version === undefined) return filter
  const wanted = toInstant(query.dataset_version)
  const versions = await selectDatasetVersions(relational.db, tenantId, filter)
  return { ...filter, ids: [...versions].filter(([, version]) => toInstant(version) === wanted).map(([id]) => id) }
}

/** Normalizes times, which clients print in different ways; other text stays the same. */
const toInstant = (version: string) => parseTime(version) ?? version

function toConditions(query: ProjectListQuery): ProjectFilter {
  return {
    ids: query.id,
    name: query.name,
    nameContains: query.name_contains,
    referenceDatasets: query.reference_dataset,
    isReferenceFree: query.reference_free,
    filter: compileProjectFilter(query.filter),
    metadata: query.metadata === undefined ? undefined : readMetadataQuery(query.metadata),
  }
}

const FILTER_COLUMNS = {
  fields: {
    id: sql`${projects.id}::text`,
    name: sql`${projects.name}`,
    description: sql`${projects.description}`,
    start_time: sql`${projects.start_time}`,
    end_time: sql`${projects.end_time}`,
    reference_dataset_id: sql`${projects.reference_dataset_id}::text`,
  },
  metadata: sql`${projects.metadata}`,
}

/**
 * The condition of a filter in the filter language.
 *
 * @returns undefined for a blank text
 * @throws FilterError
 */
function compileProjectFilter(text: string | undefined): SQL | undefined {
  const filter = parseFilter(text ?? '', PROJECT_FILTERS)
  return filter && filterToSql(filter, FILTER_COLUMNS)
}

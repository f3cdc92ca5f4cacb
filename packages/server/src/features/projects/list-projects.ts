import { ApiError, type ProjectListQuery } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { searchable } from './extra.ts'
import { type ProjectStats, readStats } from './stats.ts'
import { type ProjectFilter, selectByIds, selectIds, selectPage } from './store.ts'
import type { ProjectRow } from './tables.ts'

export interface ListedProject {
  readonly row: ProjectRow
  readonly stats: ProjectStats | undefined
}

type ListDeps = Pick<Deps, 'relational' | 'analytics' | 'metrics'>

/** A page of the projects that a query asks for. */
export async function listProjects(
  deps: ListDeps,
  tenantId: string,
  query: ProjectListQuery,
): Promise<ListedProject[]> {
  const figure = FIGURE_SORTS[query.sort_by]
  if (figure !== undefined) return listByFigure(deps, tenantId, query, figure)
  const rows = await selectPage(deps.relational.db, tenantId, filterOf(query), {
    orderBy: query.sort_by === 'name' ? 'name' : 'start_time',
    isDescending: query.sort_by_desc,
    offset: query.offset,
    limit: query.limit,
  })
  const ids = query.include_stats ? rows.map((row) => row.id) : []
  const stats = await readStats(deps, tenantId, ids, query.stats_start_time)
  return rows.map((row) => ({ row, stats: stats.get(row.id) }))
}

type Figure = 'last_run_start_time' | 'latency_p50' | 'latency_p99' | 'error_rate' | 'run_count'

const FIGURE_SORTS: Partial<Record<ProjectListQuery['sort_by'], Figure>> = {
  last_run_start_time: 'last_run_start_time',
  latency_p50: 'latency_p50',
  latency_p99: 'latency_p99',
  error_rate: 'error_rate',
  runs_count: 'run_count',
}

/** Figures live in the other store: those of all matching projects decide which rows the page has. */
async function listByFigure(
  deps: ListDeps,
  tenantId: string,
  query: ProjectListQuery,
  figure: Figure,
): Promise<ListedProject[]> {
  const ids = await selectIds(deps.relational.db, tenantId, filterOf(query))
  const stats = await readStats(deps, tenantId, ids, query.stats_start_time)
  const figureOf = (id: string) => stats.get(id)?.[figure] ?? null
  const page = ids
    .sort((one, other) => compare(figureOf(one), figureOf(other), query.sort_by_desc) || (one < other ? -1 : 1))
    .slice(query.offset, query.offset + query.limit)
  const rows = await selectByIds(deps.relational.db, tenantId, page)
  return page.flatMap((id) => {
    const row = rows.get(id)
    return row === undefined ? [] : [{ row, stats: query.include_stats ? stats.get(id) : undefined }]
  })
}

/** Projects without the figure come last, whichever way the others are sorted. */
function compare(one: string | number | null, other: string | number | null, isDescending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (one === other) return 0
  return one < other === isDescending ? 1 : -1
}

function filterOf(query: ProjectListQuery): ProjectFilter {
  return {
    ids: query.id,
    name: query.name,
    nameContains: query.name_contains,
    referenceDatasets: query.reference_dataset,
    isReferenceFree: query.reference_free,
    metadata: query.metadata === undefined ? undefined : parseMetadata(query.metadata),
  }
}

function parseMetadata(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ApiError('INVALID_REQUEST', 'metadata is not valid JSON', { cause: error })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return searchable(value)
  throw new ApiError('INVALID_REQUEST', 'metadata is not a JSON object')
}

import { ApiError, type Project, type ProjectListQuery } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { searchable } from './extra.ts'
import { type ProjectFilter, selectPage } from './store.ts'
import type { ProjectRow } from './tables.ts'

export interface ListedProject {
  readonly row: ProjectRow
  readonly stats: Partial<Project>
}

/** A page of the projects that a query asks for. */
export async function listProjects(
  { relational }: Pick<Deps, 'relational' | 'analytics'>,
  tenantId: string,
  query: ProjectListQuery,
): Promise<ListedProject[]> {
  const rows = await selectPage(relational.db, tenantId, filterOf(query), {
    orderBy: query.sort_by === 'name' ? 'name' : 'start_time',
    isDescending: query.sort_by_desc,
    offset: query.offset,
    limit: query.limit,
  })
  return rows.map((row) => ({ row, stats: {} }))
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

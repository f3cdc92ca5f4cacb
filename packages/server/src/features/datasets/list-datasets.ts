import type { DatasetListQuery } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { readMetadataQuery } from '../../storage/relational/metadata-query.ts'
import { presentDataset } from './present.ts'
import { type DatasetFilter, selectPage } from './store.ts'

/** JSON texts of a page of the datasets that a query asks for. */
export async function listDatasets(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  query: DatasetListQuery,
): Promise<string[]> {
  const { sort_by: orderBy, sort_by_desc: isDescending, offset, limit } = query
  const found = await selectPage(relational.db, tenantId, filterOf(query), { orderBy, isDescending, offset, limit })
  const withoutCount = query.exclude?.includes('example_count') ?? false
  return found.map((view) => presentDataset(view, { withoutCount }))
}

function filterOf(query: DatasetListQuery): DatasetFilter {
  return {
    ids: query.id,
    name: query.name,
    nameContains: query.name_contains,
    dataTypes: query.data_type,
    metadata: query.metadata === undefined ? undefined : readMetadataQuery(query.metadata),
  }
}

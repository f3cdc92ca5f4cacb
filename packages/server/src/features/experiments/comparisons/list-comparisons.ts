import type { ComparativeExperimentListQuery, ComparativeStat } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { isStorable } from '../../../storage/relational/columns.ts'
import { getDataset } from '../../datasets/index.ts'
import { readComparativeStats } from '../../feedback/index.ts'
import { selectProjectsById } from '../../projects/index.ts'
import { presentListed } from './present.ts'
import { selectComparisons } from './store.ts'

type ListDeps = Pick<Deps, 'relational' | 'analytics'>

/** Key → experiment → figures. */
export type SideStats = ReadonlyMap<string, ReadonlyMap<string, ComparativeStat>>

/** A page of the comparisons over a dataset, as JSON texts. @throws ApiError NOT_FOUND */
export async function listComparisons(
  deps: ListDeps,
  tenantId: string,
  datasetId: string,
  query: ComparativeExperimentListQuery,
): Promise<string[]> {
  await getDataset(deps, tenantId, datasetId)
  if (!isStorable(`${query.name ?? ''}${query.name_contains ?? ''}`)) return [] // none can be called that
  const rows = await selectComparisons(deps.relational.db, tenantId, datasetId, query)
  const experimentIds = [...new Set(rows.flatMap((row) => row.experiment_ids))]
  const [experiments, stats] = await Promise.all([
    selectProjectsById(deps, tenantId, experimentIds),
    readComparativeStats(
      deps,
      tenantId,
      rows.map((row) => row.id),
    ),
  ])
  return rows.map((row) => presentListed(row, experiments, stats.get(row.id)))
}

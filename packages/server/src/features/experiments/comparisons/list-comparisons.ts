import type { ComparativeExperiment, ComparativeExperimentListQuery, ComparativeStat } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { addRawMembers, printObject } from '../../../json/write-object.ts'
import { isStorable } from '../../../storage/relational/columns.ts'
import type { ComparativeRow } from '../../../storage/relational/tables/experiments.ts'
import { getDataset } from '../../datasets/index.ts'
import { readComparativeStats } from '../../feedback/index.ts'
import { type ProjectRow, selectProjectsById } from '../../projects/index.ts'
import { selectComparisons } from './create-comparison.ts'

type ListDeps = Pick<Deps, 'relational' | 'analytics'>

/** Key → experiment → figures. */
export type StatsByExperiment = ReadonlyMap<string, ReadonlyMap<string, ComparativeStat>>

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

/** A comparison as JSON text; `extra` is spliced in as it came. */
export function presentComparison(row: ComparativeRow): string {
  const comparison: Omit<ComparativeExperiment, 'extra'> = {
    id: row.id,
    name: row.name,
    description: row.description,
    tenant_id: row.tenant_id,
    reference_dataset_id: row.reference_dataset_id,
    created_at: row.created_at,
    modified_at: row.modified_at,
  }
  return addRawMembers(comparison, { extra: row.extra })
}

/** The same with its experiments and what was thought of each. */
function presentListed(
  row: ComparativeRow,
  experiments: ReadonlyMap<string, ProjectRow>,
  stats: StatsByExperiment = new Map(),
): string {
  const info = row.experiment_ids.flatMap((id) => {
    const experiment = experiments.get(id)
    return experiment === undefined ? [] : [{ id, name: experiment.name }]
  })
  // Member by member: a key may be `__proto__`.
  const sides = printObject(Array.from(stats, ([key, bySide]) => [key, presentSides(bySide)] as const))
  return addRawMembers(presentComparison(row), { experiments_info: JSON.stringify(info), feedback_stats: sides })
}

function presentSides(bySide: ReadonlyMap<string, ComparativeStat>): string {
  return JSON.stringify(Object.fromEntries(bySide))
}

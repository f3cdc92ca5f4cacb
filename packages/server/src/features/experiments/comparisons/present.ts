import type { ComparativeExperiment, ComparativeStat } from '@touchstone/contract'
import { addRawMembers, printObject } from '../../../json/write-object.ts'
import type { ComparativeRow } from '../../../storage/relational/tables/experiments.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { SideStats } from './list-comparisons.ts'

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
export function presentListed(
  row: ComparativeRow,
  experiments: ReadonlyMap<string, ProjectRow>,
  stats: SideStats = new Map(),
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

import { ApiError, BASE_SPLIT } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { toRows } from '../../../storage/relational/migrate.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import { columns, text } from '../../../storage/rows.ts'
import { changeExamples, exampleStates, isInVersion, selectSplits, type WriteDeps } from '../examples/index.ts'
import { type DatasetRow, lockDataset, resolveVersion } from '../index.ts'

/** Names of the splits in use at a version, sorted. */
export async function listSplits(
  deps: Pick<Deps, 'relational'>,
  dataset: DatasetRow,
  asOf: string | undefined,
): Promise<string[]> {
  const version = await resolveVersion(deps, dataset, asOf)
  const result = await deps.relational.db.execute(sql`
    select distinct unnest(${exampleStates.splits}) as name
    from ${exampleStates}
    where ${isInVersion(dataset.tenant_id, dataset.id, version)}`)
  return toRows(result, columns({ name: text }))
    .map((row) => row.name)
    .sort()
}

export interface SplitChange {
  readonly split: string
  readonly exampleIds: readonly string[]
  readonly remove: boolean
}

/**
 * Adds examples to a split or removes them from it, in one version; an example without any split is in `base`.
 *
 * @returns ids of the changed examples; without changes, no version is created
 * @throws ApiError NOT_FOUND with every example that is not in the dataset
 */
export async function changeSplit(
  deps: WriteDeps,
  tenantId: string,
  datasetId: string,
  { split, exampleIds, remove }: SplitChange,
): Promise<string[]> {
  const ids = [...new Set(exampleIds)]
  return deps.relational.transaction(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    const dataset = await lockDataset(inside, tenantId, datasetId)
    const splits = await selectSplits(tx, tenantId, datasetId, ids)
    const unknown = ids.filter((id) => !splits.has(id))
    if (unknown.length > 0) throw toUnknownExamplesError(unknown)
    const changes = ids.flatMap((id) => {
      const before = splits.get(id) ?? []
      const after = remove ? removeSplit(before, split) : before.includes(split) ? before : [...before, split]
      return before.join('\n') === after.join('\n') ? [] : [{ do: 'update', id, split: after } as const]
    })
    if (changes.length > 0) await changeExamples(inside, tenantId, dataset, changes)
    return changes.map(({ id }) => id)
  })
}

function removeSplit(splits: readonly string[], split: string): readonly string[] {
  const left = splits.filter((one) => one !== split)
  return left.length === 0 ? [BASE_SPLIT] : left
}

function toUnknownExamplesError(ids: readonly string[]): ApiError {
  const problems = ids.map((id) => ({ loc: ['examples', id], msg: 'Example not found', type: 'not_found' }))
  return new ApiError('NOT_FOUND', `Example not found: ${ids.slice(0, 3).join(', ')}`, { problems })
}

import type { VersionRestore, VersionRestored } from '@touchstone/contract'
import { withTransaction } from '../../../storage/relational/port.ts'
import { changeExamples, type ExampleChange, selectDifferent, type WriteDeps } from '../examples/index.ts'
import { type DatasetRow, lockDataset, resolveVersion } from '../index.ts'
import { diffVersions, getVersion } from './dataset-versions.ts'

/** Examples whose contents are compared at a time. */
const BATCH = 1_000

/**
 * Gives examples the content that they had in a version: changes those that differ, adds deleted ones under their own
 * ids, and removes those that the version does not have. All of it is one new version, or none when nothing differs.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset or version, or one that is older than the first unless examples are
 *   named; INVALID_REQUEST with every example that the schemas of today forbid
 */
export async function restoreVersion(
  deps: WriteDeps,
  tenantId: string,
  datasetId: string,
  { as_of, examples }: VersionRestore,
): Promise<VersionRestored> {
  return deps.relational.transaction(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    const dataset = await lockDataset(inside, tenantId, datasetId)
    const version =
      examples == null ? await getVersion(inside, dataset, as_of) : await resolveVersion(inside, dataset, as_of)
    const changes = await collectChanges(inside, dataset, version ?? BEFORE_ALL, examples && new Set(examples))
    const all = [...changes.added, ...changes.modified, ...changes.removed]
    const made = all.length === 0 ? undefined : await changeExamples(inside, tenantId, dataset, all)
    return {
      as_of: (made?.asOf ?? dataset.latest_version)?.toISOString() ?? null,
      added: changes.added.length,
      modified: changes.modified.length,
      removed: changes.removed.length,
    }
  })
}

/** A version of a dataset that has no examples yet. */
const BEFORE_ALL = new Date(0)

async function collectChanges(
  deps: WriteDeps,
  dataset: DatasetRow,
  version: Date,
  only: ReadonlySet<string> | null | undefined,
) {
  const changes: Record<'added' | 'modified' | 'removed', ExampleChange[]> = { added: [], modified: [], removed: [] }
  if (dataset.latest_version === null) return changes
  const diff = await diffVersions(deps, dataset, dataset.latest_version, version)
  const select = (ids: readonly string[]) => (only ? ids.filter((id) => only.has(id)) : ids)
  const at = { tenantId: dataset.tenant_id, datasetId: dataset.id, version }
  for (const ids of toBatches(select([...diff.examples_added, ...diff.examples_modified]))) {
    // One that has changed back since is not different.
    for (const { id, bytes, exists } of await selectDifferent(deps.relational.db, at, ids)) {
      changes[exists ? 'modified' : 'added'].push({ do: 'restore', id, version, bytes })
    }
  }
  changes.removed = select(diff.examples_removed).map((id) => ({ do: 'delete', id }))
  return changes
}

function toBatches(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, at) => ids.slice(at * BATCH, (at + 1) * BATCH))
}

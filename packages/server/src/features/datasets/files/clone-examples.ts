import { ApiError, type DatasetClone } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { touchBlobs } from '../../attachments/index.ts'
import { changeExamples, type ExampleChange, type ExamplesChange } from '../examples/index.ts'
import { getDataset, resolveVersion } from '../index.ts'
import { streamExamples } from './export-dataset.ts'
import type { UploadDeps } from './upload-rows.ts'

type CloneDeps = UploadDeps & Pick<Deps, 'blobs'>

/**
 * Copies examples of a version into another dataset, or into the same, in one version: payloads, metadata, splits and
 * attachments, under new ids.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset, tag or example; INVALID_REQUEST when the target does not accept one
 */
export async function cloneExamples(deps: CloneDeps, tenantId: string, given: DatasetClone): Promise<ExamplesChange> {
  const source = await getDataset(deps, tenantId, given.source_dataset_id)
  const target = await getDataset(deps, tenantId, given.target_dataset_id)
  const version = await resolveVersion(deps, source, given.as_of ?? undefined)
  const changes: ExampleChange[] = []
  const found = new Set<string>()
  if (version !== undefined) {
    const query = {
      dataset: source.id,
      as_of: version.toISOString(),
      ...(given.examples != null && { id: given.examples }),
      ...(given.split != null && { splits: [given.split].flat() }),
    }
    for await (const rows of streamExamples(deps, tenantId, query)) {
      for (const row of rows) {
        found.add(row.id)
        const gone = await touchBlobs(deps, row.attachments)
        if (gone !== undefined) throw new ApiError('NOT_FOUND', `Attachment ${gone.name} of ${row.id} was deleted`)
        const { inputs, outputs, metadata, splits, attachments, source_run_id: sourceRunId } = row
        changes.push({ do: 'create', inputs, outputs, metadata, split: [...splits], attachments, sourceRunId })
      }
    }
  }
  const unknown = given.split == null ? given.examples?.find((id) => !found.has(id)) : undefined
  if (unknown !== undefined) throw new ApiError('NOT_FOUND', `Example not found: ${unknown}`)
  return changeExamples(deps, tenantId, target, changes)
}

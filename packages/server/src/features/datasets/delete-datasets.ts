import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { detachExperiments } from '../projects/index.ts'
import { deleteDatasets, lockDatasets } from './store.ts'

const MAX_IDS = 100

/**
 * Deletes datasets with their examples, versions, tags and shares. Their experiments stay.
 *
 * @throws ApiError NOT_FOUND when one of the ids is unknown; then nothing is deleted
 */
export async function removeDatasets(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  given: readonly string[],
): Promise<void> {
  const ids = [...new Set(given)]
  if (ids.length > MAX_IDS) throw new ApiError('INVALID_REQUEST', `At most ${MAX_IDS} datasets are deleted at once.`)
  await relational.transaction(async (tx) => {
    // Locked first: an upload under way would leave its examples to a dataset that is gone.
    const known = await lockDatasets(tx, tenantId, ids)
    const unknown = ids.filter((id) => !known.has(id))
    if (unknown.length > 0) {
      throw new ApiError(
        'NOT_FOUND',
        ids.length === 1 ? 'Dataset not found' : `Dataset not found: ${unknown.join(', ')}`,
      )
    }
    await detachExperiments(tx, tenantId, ids)
    await deleteDatasets(tx, tenantId, ids)
  })
}

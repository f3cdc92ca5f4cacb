import { ApiError, LATEST, type TagWrite } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { isStorable } from '../../storage/relational/columns.ts'
import { type DatasetRow, datasetTags } from '../datasets/index.ts'
import type { TaggedVersion } from './list-versions.ts'
import { requireVersion, taggedVersion } from './read-version.ts'

/** An index entry holds about 2,700 bytes. */
const MAX_TAG = 500

/**
 * Names a version; the tag moves if another version of the dataset had it.
 *
 * @throws ApiError NOT_FOUND; INVALID_REQUEST for `latest`, which names the newest version always
 */
export async function tagVersion(
  deps: Pick<Deps, 'relational'>,
  dataset: DatasetRow,
  { as_of, tag }: TagWrite,
): Promise<TaggedVersion> {
  if (tag === LATEST)
    throw new ApiError('INVALID_REQUEST', 'The tag latest names the newest version and cannot be set.')
  if (tag.length > MAX_TAG || !isStorable(tag)) {
    throw new ApiError('INVALID_REQUEST', `A tag has 1 to ${MAX_TAG} characters, without NUL or half a surrogate pair.`)
  }
  const version = await requireVersion(deps, dataset, as_of)
  await deps.relational.db
    .insert(datasetTags)
    .values({ dataset_id: dataset.id, tag, as_of: version })
    .onConflictDoUpdate({ target: [datasetTags.dataset_id, datasetTags.tag], set: { as_of: version } })
  return taggedVersion(deps, dataset, version)
}

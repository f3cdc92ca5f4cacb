import { ApiError, LATEST, parseTime, type TagWrite, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { isStorable } from '../../../storage/relational/columns.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import { advanceVersion, type DatasetRow, datasetTags, lockDataset } from '../index.ts'
import type { TaggedVersion } from './list-versions.ts'
import { requireVersion, taggedVersion } from './read-version.ts'

type TagDeps = Pick<Deps, 'relational' | 'clock'>

/** An index entry holds about 2,700 bytes. */
const MAX_TAG = 500

/**
 * Names a version; the tag moves if another version of the dataset had it.
 *
 * @throws ApiError NOT_FOUND; INVALID_REQUEST for `latest`, which names the newest version always
 */
export async function tagVersion(deps: TagDeps, dataset: DatasetRow, { as_of, tag }: TagWrite): Promise<TaggedVersion> {
  if (tag === LATEST)
    throw new ApiError('INVALID_REQUEST', 'The tag latest names the newest version and cannot be set.')
  if (tag.length > MAX_TAG || !isStorable(tag)) {
    throw new ApiError('INVALID_REQUEST', `A tag has 1 to ${MAX_TAG} characters, without NUL or half a surrogate pair.`)
  }
  const current = dataset.latest_version === null ? await startVersions(deps, dataset, as_of) : dataset
  const version = await requireVersion(deps, current, as_of)
  await deps.relational.db
    .insert(datasetTags)
    .values({ dataset_id: dataset.id, tag, as_of: version })
    .onConflictDoUpdate({ target: [datasetTags.dataset_id, datasetTags.tag], set: { as_of: version } })
  return taggedVersion(deps, current, version)
}

/** Gives a dataset without examples its first version, which is as old as the dataset: clients tag it by the time of day. */
function startVersions(deps: TagDeps, { tenant_id, id }: DatasetRow, asOf: string): Promise<DatasetRow> {
  return deps.relational.transaction(async (tx) => {
    const dataset = await lockDataset({ relational: withTransaction(deps.relational, tx) }, tenant_id, id)
    const version = new Date(Math.min(Date.parse(dataset.created_at), Math.floor(deps.clock())))
    const instant = parseTime(asOf)
    const isEmptyThen = instant !== undefined && instant >= timeOfEpochMs(version.getTime())
    if (dataset.latest_version !== null || !isEmptyThen) return dataset
    await advanceVersion(tx, dataset, { version, added: 0, lastNumber: dataset.last_number })
    return { ...dataset, latest_version: version }
  })
}

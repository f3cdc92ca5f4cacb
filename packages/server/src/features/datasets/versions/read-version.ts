import { ApiError, parseTime } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type DatasetRow, resolveVersion, versionOfTag } from '../index.ts'
import { type TaggedVersion, withTags } from './list-versions.ts'

/**
 * The newest version not after an instant, or the version that has a tag.
 *
 * @throws ApiError NOT_FOUND; INVALID_REQUEST unless exactly one of the two is given
 */
export async function readVersion(
  deps: Pick<Deps, 'relational'>,
  dataset: DatasetRow,
  { as_of, tag }: { readonly as_of?: string | undefined; readonly tag?: string | undefined },
): Promise<TaggedVersion> {
  if ((as_of === undefined) === (tag === undefined)) {
    throw new ApiError('INVALID_REQUEST', 'Exactly one of as_of and tag must be specified.')
  }
  const asOf =
    tag === undefined ? await resolveVersion(deps, dataset, as_of) : await versionOfTag(deps.relational, dataset, tag)
  return taggedVersion(deps, dataset, asOf)
}

/**
 * The version that a diff or a tag names.
 *
 * @throws ApiError NOT_FOUND
 */
export async function requireVersion(deps: Pick<Deps, 'relational'>, dataset: DatasetRow, asOf: string): Promise<Date> {
  const version = await resolveVersion(deps, dataset, asOf)
  if (version === undefined) throw new ApiError('NOT_FOUND', `Version not found: there is none up to ${shown(asOf)}`)
  return version
}

export async function taggedVersion(
  { relational }: Pick<Deps, 'relational'>,
  dataset: DatasetRow,
  asOf: Date | undefined,
): Promise<TaggedVersion> {
  if (asOf === undefined) throw new ApiError('NOT_FOUND', 'Version not found')
  const [version] = await withTags(relational.db, dataset, [asOf])
  return version!
}

const shown = (asOf: string) => parseTime(asOf) ?? asOf.slice(0, 100)

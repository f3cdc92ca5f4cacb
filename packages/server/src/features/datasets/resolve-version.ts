import { ApiError, LATEST, parseTime } from '@touchstone/contract'
import { and, eq, max, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { type DatasetRow, datasetTags, datasetVersions } from '../../storage/relational/tables/datasets.ts'

/**
 * The version that a reader means.
 *
 * @param asOf  an instant, which means the newest version not after it, or a tag. @default the newest version
 * @returns undefined when the dataset had no version then
 * @throws ApiError NOT_FOUND for an unknown tag
 */
export async function resolveVersion(
  { relational }: Pick<Deps, 'relational'>,
  dataset: DatasetRow,
  asOf: string | undefined,
): Promise<Date | undefined> {
  if (asOf === undefined || asOf === LATEST) return dataset.latest_version ?? undefined
  const instant = parseTime(asOf)
  return instant === undefined ? versionOfTag(relational, dataset, asOf) : versionAt(relational, dataset, instant)
}

/**
 * The version that has a tag.
 *
 * @throws ApiError NOT_FOUND
 */
export async function versionOfTag(
  { db }: Deps['relational'],
  dataset: DatasetRow,
  tag: string,
): Promise<Date | undefined> {
  if (tag === LATEST) return dataset.latest_version ?? undefined
  const [row] = tag.includes('\0')
    ? []
    : await db
        .select({ as_of: datasetTags.as_of })
        .from(datasetTags)
        .where(and(eq(datasetTags.dataset_id, dataset.id), eq(datasetTags.tag, tag)))
  if (row === undefined)
    throw new ApiError('NOT_FOUND', `Version not found: the dataset has no tag ${tag.slice(0, 100)}`)
  return row.as_of
}

async function versionAt({ db }: Deps['relational'], dataset: DatasetRow, instant: string): Promise<Date | undefined> {
  const [row] = await db
    .select({ as_of: max(datasetVersions.as_of) })
    .from(datasetVersions)
    .where(and(eq(datasetVersions.dataset_id, dataset.id), sql`${datasetVersions.as_of} <= ${instant}::timestamptz`))
  return row?.as_of ?? undefined
}

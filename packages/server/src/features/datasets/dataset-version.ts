import { ApiError, LATEST, parseTime, timeOfEpochMs } from '@touchstone/contract'
import { and, eq, max, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type DatasetRow, datasets, datasetTags, datasetVersions } from '../../storage/relational/tables/datasets.ts'
import { updateDataset } from './store.ts'

/**
 * Finds the version of a query.
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
  return instant === undefined
    ? getVersionOfTag(relational, dataset, asOf)
    : selectVersionAt(relational, dataset, instant)
}

/**
 * The version with a tag.
 *
 * @throws ApiError NOT_FOUND
 */
export async function getVersionOfTag(
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

async function selectVersionAt(
  { db }: Deps['relational'],
  dataset: DatasetRow,
  instant: string,
): Promise<Date | undefined> {
  const [row] = await db
    .select({ as_of: max(datasetVersions.as_of) })
    .from(datasetVersions)
    .where(and(eq(datasetVersions.dataset_id, dataset.id), sql`${datasetVersions.as_of} <= ${instant}::timestamptz`))
  return row?.as_of ?? undefined
}

/** The instant of the next version: now, or the first free millisecond after the newest. */
export function nextVersion({ clock }: Pick<Deps, 'clock'>, { latest_version }: DatasetRow): Date {
  const now = Math.floor(clock())
  return new Date(latest_version === null ? now : Math.max(now, latest_version.getTime() + 1))
}

/** The effect of a change of examples on its dataset. */
export interface Advance {
  readonly version: Date
  /** Number of added examples minus removed ones. */
  readonly added: number
  readonly lastNumber: number
}

/** Records a new version of a dataset whose row is locked by this transaction. */
export async function advanceVersion(
  tx: Database,
  { tenant_id, id, modified_at }: DatasetRow,
  { version, added, lastNumber }: Advance,
): Promise<void> {
  const made = timeOfEpochMs(version.getTime())
  await tx.insert(datasetVersions).values({ dataset_id: id, as_of: version })
  await updateDataset(tx, tenant_id, id, {
    latest_version: version,
    modified_at: made > modified_at ? made : modified_at,
    example_count: sql`${datasets.example_count} + ${added}` as unknown as number,
    last_number: lastNumber,
  })
}

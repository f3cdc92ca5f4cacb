import { LATEST, type VersionListQuery } from '@touchstone/contract'
import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { isStorable } from '../../../storage/relational/columns.ts'
import { containsPattern } from '../../../storage/relational/like.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { exampleStates } from '../examples/index.ts'
import { type DatasetRow, datasetTags, datasetVersions } from '../index.ts'

/** A version and what it is called, `latest` first. */
export interface TaggedVersion {
  readonly asOf: Date
  readonly tags: readonly string[]
}

/** Versions of a dataset, newest first. */
export async function listVersions(
  { relational: { db } }: Pick<Deps, 'relational'>,
  dataset: DatasetRow,
  { search, example, offset, limit }: VersionListQuery,
): Promise<TaggedVersion[]> {
  const rows = await db
    .select({ as_of: datasetVersions.as_of })
    .from(datasetVersions)
    .where(
      and(
        eq(datasetVersions.dataset_id, dataset.id),
        search ? hasTag(dataset, search) : undefined,
        example === undefined ? undefined : changed(dataset, example),
      ),
    )
    .orderBy(desc(datasetVersions.as_of))
    .offset(offset)
    .limit(limit)
  return withTags(
    db,
    dataset,
    rows.map((row) => row.as_of),
  )
}

/** Versions with their tags, in the order given. */
export async function withTags(
  db: Database,
  { id, latest_version }: DatasetRow,
  versions: readonly Date[],
): Promise<TaggedVersion[]> {
  if (versions.length === 0) return []
  const rows = await db
    .select({ tag: datasetTags.tag, as_of: datasetTags.as_of })
    .from(datasetTags)
    .where(and(eq(datasetTags.dataset_id, id), inArray(datasetTags.as_of, [...versions])))
    .orderBy(datasetTags.tag)
  return versions.map((asOf) => {
    const tags = rows.filter((row) => row.as_of.getTime() === asOf.getTime()).map((row) => row.tag)
    return { asOf, tags: asOf.getTime() === latest_version?.getTime() ? [LATEST, ...tags] : tags }
  })
}

function hasTag({ id, latest_version }: DatasetRow, search: string): SQL {
  if (!isStorable(search)) return sql`false`
  const pattern = containsPattern(search)
  const named = sql`${datasetVersions.as_of} in (
    select as_of from dataset_tags where dataset_id = ${id} and tag ilike ${pattern})`
  if (latest_version === null || !LATEST.includes(search.toLowerCase())) return named
  return sql`(${named} or ${datasetVersions.as_of} = ${latest_version.toISOString()}::timestamptz)`
}

/** A version changes an example when a state of it begins or ends there. */
function changed({ id, tenant_id }: DatasetRow, example: string): SQL {
  const states = sql`from ${exampleStates} where dataset_id = ${id} and tenant_id = ${tenant_id} and example_id = ${example}`
  return sql`${datasetVersions.as_of} in (
    select as_of ${states} union all select until ${states} and until < 'infinity')`
}

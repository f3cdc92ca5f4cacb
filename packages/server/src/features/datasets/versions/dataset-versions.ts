import {
  ApiError,
  type DatasetVersion,
  isStorable,
  LATEST,
  parseTime,
  type TagWrite,
  timeOfEpochMs,
  type VersionDiff,
  type VersionListQuery,
} from '@touchstone/contract'
import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { containsPattern } from '../../../storage/relational/like.ts'
import { getFirst, toRows } from '../../../storage/relational/migrate.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import { columns, number, text, truth } from '../../../storage/rows.ts'
import { exampleStates } from '../examples/index.ts'
import {
  advanceVersion,
  type DatasetRow,
  datasetTags,
  datasetVersions,
  getVersionOfTag,
  lockDataset,
  resolveVersion,
} from '../index.ts'

/** A version with its tags, `latest` first. */
export interface TaggedVersion {
  readonly asOf: Date
  readonly tags: readonly string[]
  readonly changes?: VersionChanges | undefined
}

/** Number of examples that a version changed. */
export type VersionChanges = NonNullable<DatasetVersion['changes']>

/** Versions of a dataset, newest first. */
export async function listVersions(
  { relational: { db } }: Pick<Deps, 'relational'>,
  dataset: DatasetRow,
  { search, example, include_changes, offset, limit }: VersionListQuery,
): Promise<TaggedVersion[]> {
  const rows = await db
    .select({ as_of: datasetVersions.as_of })
    .from(datasetVersions)
    .where(
      and(
        eq(datasetVersions.dataset_id, dataset.id),
        search ? matchesTag(dataset, search) : undefined,
        example === undefined ? undefined : matchesExample(dataset, example),
      ),
    )
    .orderBy(desc(datasetVersions.as_of))
    .offset(offset)
    .limit(limit)
  const versions = rows.map((row) => row.as_of)
  const tagged = await selectTags(db, dataset, versions)
  if (!include_changes) return tagged
  const changes = await selectChanges(db, dataset, versions)
  return tagged.map((one) => ({ ...one, changes: changes.get(one.asOf.getTime()) ?? NO_CHANGES }))
}

const NO_CHANGES: VersionChanges = { added: 0, modified: 0, removed: 0 }

/** Number of changed examples by version, as milliseconds. A state starts or ends with the version that changes it. */
async function selectChanges(
  db: Database,
  { id, tenant_id }: DatasetRow,
  versions: readonly Date[],
): Promise<Map<number, VersionChanges>> {
  const [newest, oldest] = [versions[0], versions.at(-1)]
  if (newest === undefined || oldest === undefined) return new Map()
  const between = (column: SQL) => sql`${column} between ${oldest.toISOString()}::timestamptz
    and ${newest.toISOString()}::timestamptz`
  const states = sql`from example_states where dataset_id = ${id} and tenant_id = ${tenant_id}`
  const result = await db.execute(sql`
    select (extract(epoch from version) * 1000)::float8 as version,
      count(*) filter (where begins and not ends)::int as added,
      count(*) filter (where begins and ends)::int as modified,
      count(*) filter (where ends and not begins)::int as removed
    from (
      select version, example_id, bool_or(begins) as begins, bool_or(not begins) as ends
      from (
        select as_of as version, example_id, true as begins ${states} and ${between(sql`as_of`)}
        union all
        select until, example_id, false ${states} and ${between(sql`until`)}
      ) as edges
      group by version, example_id
    ) as changed
    group by version`)
  const rows = toRows(result, columns({ version: number, added: number, modified: number, removed: number }))
  return new Map(rows.map(({ version, ...counts }) => [Math.round(version), counts]))
}

/** Versions with their tags, in the order given. */
export async function selectTags(
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

function matchesTag({ id, latest_version }: DatasetRow, search: string): SQL {
  if (!isStorable(search)) return sql`false`
  const pattern = containsPattern(search)
  const named = sql`${datasetVersions.as_of} in (
    select as_of from dataset_tags where dataset_id = ${id} and tag ilike ${pattern})`
  if (latest_version === null || !LATEST.includes(search.toLowerCase())) return named
  return sql`(${named} or ${datasetVersions.as_of} = ${latest_version.toISOString()}::timestamptz)`
}

/** A version changes an example when a state of it starts or ends there. */
function matchesExample({ id, tenant_id }: DatasetRow, example: string): SQL {
  const states = sql`from ${exampleStates} where dataset_id = ${id} and tenant_id = ${tenant_id} and example_id = ${example}`
  return sql`${datasetVersions.as_of} in (
    select as_of ${states} union all select until ${states} and until < 'infinity')`
}

/**
 * The newest version not after an instant, or the version with a tag.
 *
 * @throws ApiError NOT_FOUND; INVALID_REQUEST unless exactly one of the two is given
 */
export async function getTaggedVersion(
  deps: Pick<Deps, 'relational'>,
  dataset: DatasetRow,
  { as_of, tag }: { readonly as_of?: string | undefined; readonly tag?: string | undefined },
): Promise<TaggedVersion> {
  if ((as_of === undefined) === (tag === undefined)) {
    throw new ApiError('INVALID_REQUEST', 'Exactly one of as_of and tag must be specified.')
  }
  const asOf =
    tag === undefined
      ? await resolveVersion(deps, dataset, as_of)
      : await getVersionOfTag(deps.relational, dataset, tag)
  return toTaggedVersion(deps, dataset, asOf)
}

/**
 * The version of a diff or a tag request.
 *
 * @throws ApiError NOT_FOUND
 */
export async function getVersion(deps: Pick<Deps, 'relational'>, dataset: DatasetRow, asOf: string): Promise<Date> {
  const version = await resolveVersion(deps, dataset, asOf)
  if (version === undefined)
    throw new ApiError('NOT_FOUND', `Version not found: there is none up to ${printVersion(asOf)}`)
  return version
}

export async function toTaggedVersion(
  { relational }: Pick<Deps, 'relational'>,
  dataset: DatasetRow,
  asOf: Date | undefined,
): Promise<TaggedVersion> {
  if (asOf === undefined) throw new ApiError('NOT_FOUND', 'Version not found')
  return getFirst(await selectTags(relational.db, dataset, [asOf]))
}

const printVersion = (asOf: string) => parseTime(asOf) ?? asOf.slice(0, 100)

type TagDeps = Pick<Deps, 'relational' | 'clock'>

/** An index entry holds about 2,700 bytes. */
const MAX_TAG = 500

/**
 * Tags a version; the tag moves if another version of the dataset had it.
 *
 * @throws ApiError NOT_FOUND; INVALID_REQUEST for `latest`, which is always the newest version
 */
export async function tagVersion(deps: TagDeps, dataset: DatasetRow, { as_of, tag }: TagWrite): Promise<TaggedVersion> {
  if (tag === LATEST)
    throw new ApiError('INVALID_REQUEST', 'The tag latest names the newest version and cannot be set.')
  if (tag.length > MAX_TAG || !isStorable(tag)) {
    throw new ApiError('INVALID_REQUEST', `A tag has 1 to ${MAX_TAG} characters, without NUL or half a surrogate pair.`)
  }
  const current = dataset.latest_version === null ? await createFirstVersion(deps, dataset, as_of) : dataset
  const version = await getVersion(deps, current, as_of)
  await deps.relational.db
    .insert(datasetTags)
    .values({ dataset_id: dataset.id, tag, as_of: version })
    .onConflictDoUpdate({ target: [datasetTags.dataset_id, datasetTags.tag], set: { as_of: version } })
  return toTaggedVersion(deps, current, version)
}

/**
 * Creates the first version of a dataset without examples, as old as the dataset, because clients tag it with the
 * current time.
 */
function createFirstVersion(deps: TagDeps, { tenant_id, id }: DatasetRow, asOf: string): Promise<DatasetRow> {
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

/** The examples that differ between two versions. Reads only states that started or ended in between. */
export async function diffVersions(
  { relational }: Pick<Deps, 'relational'>,
  { id, tenant_id }: DatasetRow,
  from: Date,
  to: Date,
): Promise<VersionDiff> {
  const isForward = from <= to
  const older = sql`${(isForward ? from : to).toISOString()}::timestamptz`
  const newer = sql`${(isForward ? to : from).toISOString()}::timestamptz`
  const result = await relational.db.execute(sql`
    select example_id,
      bool_or(as_of <= ${older} and until > ${older}) as was,
      bool_or(as_of <= ${newer} and until > ${newer}) as is_now
    from example_states
    where dataset_id = ${id} and tenant_id = ${tenant_id}
      and (as_of > ${older} and as_of <= ${newer} or until > ${older} and until <= ${newer})
    group by example_id
    order by example_id`)
  const rows = toRows(result, columns({ example_id: text, was: truth, is_now: truth }))
  const selectIds = (was: boolean, isNow: boolean) =>
    rows.filter((row) => row.was === was && row.is_now === isNow).map((row) => row.example_id)
  const [appeared, vanished] = [selectIds(false, true), selectIds(true, false)]
  return {
    examples_modified: selectIds(true, true),
    examples_added: isForward ? appeared : vanished,
    examples_removed: isForward ? vanished : appeared,
  }
}

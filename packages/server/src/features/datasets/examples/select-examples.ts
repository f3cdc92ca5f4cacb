import {
  EXAMPLE_FILTERS,
  type ExampleConditions,
  type ExampleListQuery,
  isStorable,
  parseFilter,
  parseTime,
} from '@touchstone/contract'
import { and, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { arrayLiteral, isAnyOf } from '../../../storage/relational/columns.ts'
import { filterToSql, readMetadataQuery, toJsonb } from '../../../storage/relational/filter.ts'
import { containsPattern } from '../../../storage/relational/like.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { exampleStates, examples } from '../../../storage/relational/tables/datasets.ts'
import { type DatasetRow, resolveVersion } from '../index.ts'

/**
 * The states of a dataset at a version: at most one per example.
 *
 * @param version  undefined for a dataset without versions, which has no examples
 */
export function isInVersion(tenantId: string, datasetId: string, version: Date | undefined): SQL {
  if (version === undefined) return sql`false`
  return sql`(${matchesDataset(tenantId, datasetId)} and ${isValidAt(version.toISOString())})`
}

/** The states of the newest version. */
export function isInNewestVersion(tenantId: string, datasetId: string): SQL {
  return sql`(${matchesDataset(tenantId, datasetId)} and ${isNewest})`
}

/** @param instant  any time, in the contract's printed form */
export function isValidAt(instant: string): SQL {
  return sql`${exampleStates.as_of} <= ${instant}::timestamptz and ${exampleStates.until} > ${instant}::timestamptz`
}

export const isNewest = sql`${exampleStates.until} = 'infinity'`

export function matchesDataset(tenantId: string, datasetId: string): SQL {
  return sql`(${exampleStates.dataset_id} = ${datasetId} and ${exampleStates.tenant_id} = ${tenantId})`
}

const FILTER_COLUMNS = { fields: {}, metadata: sql`${exampleStates.metadata_index}` }

/** The conditions of a query, except those on the version. */
export function toConditions(tenantId: string, query: Partial<ExampleConditions>): SQL | undefined {
  const { id, splits, metadata, filter, full_text_contains: texts, source_run: runs } = query
  const parsed = parseFilter(filter ?? '', EXAMPLE_FILTERS)
  return and(
    eq(exampleStates.tenant_id, tenantId),
    id && isAnyOf(exampleStates.example_id, id),
    runs && isAnyOf(exampleStates.source_run_id, runs),
    splits && sql`${exampleStates.splits} && ${arrayLiteral(splits.filter(isStorable))}::text[]`,
    metadata === undefined
      ? undefined
      : sql`${exampleStates.metadata_index} @> ${toJsonb(readMetadataQuery(metadata))}`,
    parsed && filterToSql(parsed, FILTER_COLUMNS),
    ...(texts ?? []).map(containsText),
  )
}

/**
 * The states of a query with examples but no dataset. An instant has the same meaning in every dataset; a tag is looked
 * up in each.
 */
export async function selectStatesAcross(
  deps: Pick<Deps, 'relational'>,
  datasets: readonly DatasetRow[],
  asOf: string | undefined,
): Promise<SQL> {
  const ofDatasets = isAnyOf(
    exampleStates.dataset_id,
    datasets.map((dataset) => dataset.id),
  )
  if (asOf === undefined || asOf === 'latest') return sql`(${ofDatasets} and ${isNewest})`
  const instant = parseTime(asOf)
  if (instant !== undefined) return sql`(${ofDatasets} and ${isValidAt(instant)})`
  const states = await Promise.all(
    datasets.map(async (one) => isInVersion(one.tenant_id, one.id, await resolveVersion(deps, one, asOf))),
  )
  return sql`(${sql.join([...states.map((state) => sql`(${state})`), sql`false`], sql` or `)})`
}

/**
 * Whether a text occurs in inputs or outputs, in any case. Some clients escape characters beyond ASCII in JSON, so
 * three spellings are searched.
 */
function containsText(text: string): SQL {
  const asJson = JSON.stringify(text).slice(1, -1)
  const asAscii = asJson.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const spellings = [...new Set([text, asJson, asAscii])].filter(isStorable)
  const found = spellings.flatMap((one) => {
    const pattern = containsPattern(one)
    return [sql`${exampleStates.inputs} ilike ${pattern}`, sql`${exampleStates.outputs} ilike ${pattern}`]
  })
  return sql`(coalesce(${or(...found)}, false))`
}

/** The sort order of a listing, and the condition that continues after a row. */
interface Order {
  readonly by: SQL
  /** Sort values of a row as text; undefined when a listing cannot continue by key. */
  readonly toKey: ((row: SortedRow) => readonly string[]) | undefined
  readonly after: (key: readonly string[]) => SQL
}

interface SortedRow {
  readonly id: string
  readonly as_of: Date
  readonly created_at: string
  readonly number: number
}

const { as_of, created_at, number, example_id } = exampleStates

/**
 * `recent` and `recently_created` start with the newest, in the order within each request; `id` starts with the
 * smallest.
 * `descending` reverses the order exactly.
 */
export function toOrder({
  order = 'recent',
  descending,
  random_seed: seed,
}: Partial<Pick<ExampleListQuery, 'order' | 'descending' | 'random_seed'>>): Order {
  if (order === 'random') return toRandomOrder(seed)
  const isDescending = descending ?? order !== 'id'
  const direction = isDescending ? sql`desc` : sql`asc`
  const sign = isDescending ? sql`<` : sql`>`
  if (order === 'id') {
    return {
      by: sql`${example_id} ${direction}`,
      toKey: ({ id }) => [id],
      after: ([id]) => sql`${example_id} ${sign} ${id}::uuid`,
    }
  }
  const column = order === 'recent' ? as_of : created_at
  return {
    by: sql`${column} ${direction}, (-${number}) ${direction}`,
    toKey: (row) => [order === 'recent' ? row.as_of.toISOString() : row.created_at, String(-row.number)],
    after: ([time, rank]) => sql`(${column}, (-${number})) ${sign} (${time}::timestamptz, ${rank}::bigint)`,
  }
}

/** The same seed gives the same order; without a seed the order is random. */
function toRandomOrder(seed: number | undefined): Order {
  const by = seed === undefined ? sql`random()` : sql`md5(${example_id}::text || ${String(seed)}::text), ${example_id}`
  return { by, toKey: undefined, after: () => sql`true` }
}

/** Dataset ids by example id, also of deleted examples; unknown and erased ids are left out. */
export async function selectDatasetIds(
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: examples.id, dataset_id: examples.dataset_id })
    .from(examples)
    .where(and(eq(examples.tenant_id, tenantId), isAnyOf(sql`${examples.id}`, ids), isNull(examples.erased_at)))
  return new Map(rows.map((row) => [row.id, row.dataset_id]))
}

/** Splits of examples in the newest version, by id; other ids are left out. */
export async function selectSplits(
  db: Database,
  tenantId: string,
  datasetId: string,
  ids: readonly string[],
): Promise<Map<string, readonly string[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: exampleStates.example_id, splits: exampleStates.splits })
    .from(exampleStates)
    .where(and(isInNewestVersion(tenantId, datasetId), isAnyOf(exampleStates.example_id, ids)))
  return new Map(rows.map((row) => [row.id, row.splits]))
}

/** The position of a listing at an offset, so that the next page need not count up to it. */
interface CachedOffset {
  readonly offset: number
  /** Sort values of the last row before the offset. */
  readonly key: readonly string[]
}

const MAX_LISTINGS = 1_000
/** Offsets per listing, for several concurrent readers and pages in any order. */
const MAX_OFFSETS = 32

/**
 * Caches positions of listings. It only saves time: a listing of a fixed version never changes its order, so continuing
 * from a cached position gives the same rows as counting from the start.
 */
export class OffsetCache {
  private readonly listings = new Map<string, CachedOffset[]>()

  /** The nearest cached position at or before an offset. */
  find(listing: string, offset: number): CachedOffset | undefined {
    const marks = this.listings.get(listing)
    if (marks === undefined) return undefined
    this.listings.delete(listing)
    this.listings.set(listing, marks) // so that the least recently used entry is dropped first
    let nearest: CachedOffset | undefined
    for (const mark of marks) {
      if (mark.offset <= offset && mark.offset > (nearest?.offset ?? 0)) nearest = mark
    }
    return nearest
  }

  put(listing: string, position: CachedOffset): void {
    const marks = (this.listings.get(listing) ?? []).filter(({ offset }) => offset !== position.offset)
    if (marks.length >= MAX_OFFSETS) marks.shift()
    marks.push(position)
    this.listings.delete(listing)
    this.listings.set(listing, marks)
    const [oldest] = this.listings.keys()
    if (this.listings.size > MAX_LISTINGS && oldest !== undefined) this.listings.delete(oldest)
  }
}

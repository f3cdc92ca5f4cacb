import {
  EXAMPLE_FILTERS,
  type ExampleConditions,
  type ExampleListQuery,
  parseFilter,
  parseTime,
} from '@touchstone/contract'
import { and, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { arrayLiteral, isAnyOf, isStorable } from '../../../storage/relational/columns.ts'
import { filterToSql, readMetadataQuery, toJsonb } from '../../../storage/relational/filter.ts'
import { containsPattern } from '../../../storage/relational/like.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { exampleStates, examples } from '../../../storage/relational/tables/datasets.ts'
import { type DatasetRow, resolveVersion } from '../index.ts'

/**
 * The states that make up a dataset at a version: at most one of each example.
 *
 * @param version  undefined for a dataset that has none, which has no examples
 */
export function isInVersion(tenantId: string, datasetId: string, version: Date | undefined): SQL {
  if (version === undefined) return sql`false`
  return and(matchesDataset(tenantId, datasetId), isValidAt(version.toISOString()))!
}

/** The states of the newest version. */
export function isInNewestVersion(tenantId: string, datasetId: string): SQL {
  return and(matchesDataset(tenantId, datasetId), sql`${exampleStates.until} = 'infinity'`)!
}

/** @param instant  any point in time, in the contract's printed form */
export function isValidAt(instant: string): SQL {
  return sql`${exampleStates.as_of} <= ${instant}::timestamptz and ${exampleStates.until} > ${instant}::timestamptz`
}

export const isNewest = sql`${exampleStates.until} = 'infinity'`

function matchesDataset(tenantId: string, datasetId: string): SQL {
  return and(eq(exampleStates.dataset_id, datasetId), eq(exampleStates.tenant_id, tenantId))!
}

const FILTER_COLUMNS = { fields: {}, metadata: sql`${exampleStates.metadata_index}` }

/** The conditions of a query besides those that say of which version. */
export function toConditions(tenantId: string, query: Partial<ExampleConditions>): SQL {
  const { id, splits, metadata, filter, full_text_contains: texts } = query
  const parsed = parseFilter(filter ?? '', EXAMPLE_FILTERS)
  return and(
    eq(exampleStates.tenant_id, tenantId),
    id && isAnyOf(exampleStates.example_id, id),
    splits && sql`${exampleStates.splits} && ${arrayLiteral(splits.filter(isStorable))}::text[]`,
    metadata === undefined
      ? undefined
      : sql`${exampleStates.metadata_index} @> ${toJsonb(readMetadataQuery(metadata))}`,
    parsed && filterToSql(parsed, FILTER_COLUMNS),
    ...(texts ?? []).map(containsText),
  )!
}

/**
 * The states of a query that names examples but no dataset. An instant means the same in every dataset; a tag is that of
 * each.
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
  if (asOf === undefined || asOf === 'latest') return and(ofDatasets, isNewest)!
  const instant = parseTime(asOf)
  if (instant !== undefined) return and(ofDatasets, isValidAt(instant))!
  const states = await Promise.all(
    datasets.map(async (one) => isInVersion(one.tenant_id, one.id, await resolveVersion(deps, one, asOf))),
  )
  return or(...states, sql`false`)!
}

/**
 * Whether a text stands in inputs or outputs, in any case. Some clients write JSON with characters beyond ASCII
 * escaped, so it may stand there in three spellings.
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

/** How a listing is sorted, and how it is read on after a row. */
interface Order {
  readonly by: SQL
  /** Text of what the row is sorted by; undefined where reading on by key is of no use. */
  readonly keyOf: ((row: SortedRow) => readonly string[]) | undefined
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
 * `recent` and `recently_created` show the newest first, what one request made in the order of that request; `id` the
 * smallest first. The other direction is exactly the reverse.
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
      keyOf: ({ id }) => [id],
      after: ([id]) => sql`${example_id} ${sign} ${id}::uuid`,
    }
  }
  const column = order === 'recent' ? as_of : created_at
  return {
    by: sql`${column} ${direction}, (-${number}) ${direction}`,
    keyOf: (row) => [order === 'recent' ? row.as_of.toISOString() : row.created_at, String(-row.number)],
    after: ([time, rank]) => sql`(${column}, (-${number})) ${sign} (${time}::timestamptz, ${rank}::bigint)`,
  }
}

/** The same seed gives the same order; without one it is new each time. */
function toRandomOrder(seed: number | undefined): Order {
  const by = seed === undefined ? sql`random()` : sql`md5(${example_id}::text || ${String(seed)}::text), ${example_id}`
  return { by, keyOf: undefined, after: () => sql`true` }
}

/** The datasets of examples, also of deleted ones, by the id of the example; unknown and erased ids are left out. */
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

/** Splits of examples in the newest version, by id; those that are not in it are left out. */
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

/** Where a listing stood after so many rows, so that the page which follows need not count to there again. */
interface CachedOffset {
  readonly offset: number
  /** The last row before the offset, by what the listing is sorted by. */
  readonly key: readonly string[]
}

const MAX_LISTINGS = 1_000
/** Of one listing: several readers at different places, and pages asked for out of order. */
const MAX_OFFSETS = 32

/**
 * Remembers where listings stood. It only saves work: a listing of a fixed version never changes its order, so reading
 * on from a bookmark and counting from the start give the same rows.
 */
export class OffsetCache {
  private readonly listings = new Map<string, CachedOffset[]>()

  /** The bookmark nearest before an offset. */
  find(listing: string, offset: number): CachedOffset | undefined {
    const marks = this.listings.get(listing)
    if (marks === undefined) return undefined
    this.listings.delete(listing)
    this.listings.set(listing, marks) // the least recently used is dropped first
    let nearest: CachedOffset | undefined
    for (const mark of marks) {
      if (mark.offset <= offset && mark.offset > (nearest?.offset ?? 0)) nearest = mark
    }
    return nearest
  }

  put(listing: string, bookmark: CachedOffset): void {
    const marks = (this.listings.get(listing) ?? []).filter(({ offset }) => offset !== bookmark.offset)
    if (marks.length >= MAX_OFFSETS) marks.shift()
    marks.push(bookmark)
    this.listings.delete(listing)
    this.listings.set(listing, marks)
    if (this.listings.size > MAX_LISTINGS) this.listings.delete(this.listings.keys().next().value!)
  }
}

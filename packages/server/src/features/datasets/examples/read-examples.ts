import { ApiError, type ExampleConditions, type ExampleListQuery } from '@touchstone/contract'
import { and, count, eq, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { isAnyOf } from '../../../storage/relational/columns.ts'
import type { Relational } from '../../../storage/relational/port.ts'
import { exampleStates } from '../../../storage/relational/tables/datasets.ts'
import type { StoredAttachment } from '../../attachments/index.ts'
import { type DatasetRow, getDataset, resolveVersion, selectDatasetMap } from '../index.ts'
import {
  isInVersion,
  type OffsetCache,
  selectDatasetIds,
  selectStatesAcross,
  toConditions,
  toOrder,
} from './select-examples.ts'

type ReadDeps = Pick<Deps, 'relational'> & {
  /** Saves counting rows up to the offset of a page. @default every page counts from the start */
  readonly exampleOffsets?: OffsetCache
}

/** A query as `GET /examples` takes it; `dataset` or `id` is needed, and `limit` may exceed a page of the API. */
export type ExampleQuery = Partial<ExampleListQuery>

/** An example as it stood at a version. What is JSON is its text; metadata is without `dataset_split`. */
export interface ExampleRow {
  readonly id: string
  readonly dataset_id: string
  /** Name of its dataset now. */
  readonly dataset_name: string
  readonly number: number
  /** The version that changed it last. */
  readonly as_of: Date
  readonly created_at: string
  readonly inputs: string
  readonly outputs: string | null
  readonly metadata: string
  readonly splits: readonly string[]
  readonly source_run_id: string | null
  readonly attachments: readonly StoredAttachment[]
}

/** Where a row stands and how many bytes of JSON it has, before its JSON is read. */
export interface FoundExample {
  readonly id: string
  readonly dataset_id: string
  readonly number: number
  readonly as_of: Date
  readonly created_at: string
  readonly bytes: number
}

export interface FoundExamples {
  readonly found: readonly FoundExample[]
  readonly datasets: ReadonlyMap<string, DatasetRow>
  /** The condition that picks their versions. */
  readonly states: SQL
}

/** Where a query looks: its datasets, and the condition that picks their versions. */
interface Scope {
  readonly datasets: readonly DatasetRow[]
  readonly states: SQL
  /** Set when it is one version of one dataset, whose order never changes. */
  readonly pinned: string | undefined
}

/**
 * Examples of a dataset at a version, or of ids, in the order asked for.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset or tag; INVALID_REQUEST, also with the position in a bad filter
 */
export async function readExamples(deps: ReadDeps, tenantId: string, query: ExampleQuery): Promise<ExampleRow[]> {
  const page = await findExamples(deps, tenantId, query)
  const rows: ExampleRow[] = []
  for await (const some of loadExamples(deps, tenantId, page)) rows.push(...some)
  return rows
}

/** How many examples a query has. */
export async function countExamples(
  deps: ReadDeps,
  tenantId: string,
  query: Partial<ExampleConditions>,
): Promise<number> {
  const { states } = await getScope(deps, tenantId, query)
  const [row] = await deps.relational.db
    .select({ n: count() })
    .from(exampleStates)
    .where(and(states, toConditions(tenantId, query)))
  return row?.n ?? 0
}

/** The rows of a page without their JSON. */
export async function findExamples(deps: ReadDeps, tenantId: string, query: ExampleQuery): Promise<FoundExamples> {
  const { offset = 0, limit = 100 } = query
  const { datasets, states, pinned } = await getScope(deps, tenantId, query)
  const order = toOrder(query)
  const listing = pinned === undefined ? undefined : toListingKey(tenantId, pinned, query)
  const nearest = listing === undefined ? undefined : deps.exampleOffsets?.find(listing, offset)
  const found = await deps.relational.db
    .select({
      id: exampleStates.example_id,
      dataset_id: exampleStates.dataset_id,
      number: exampleStates.number,
      as_of: exampleStates.as_of,
      created_at: exampleStates.created_at,
      // The length of a long text stands beside the pointer to it: none is fetched for this.
      bytes: sql<number>`octet_length(${exampleStates.inputs}) + coalesce(octet_length(${exampleStates.outputs}), 0)
        + octet_length(${exampleStates.metadata})`,
    })
    .from(exampleStates)
    .where(and(states, toConditions(tenantId, query), nearest && order.after(nearest.key)))
    .orderBy(order.by)
    .offset(offset - (nearest?.offset ?? 0))
    .limit(limit)
  const last = found.at(-1)
  if (listing !== undefined && last !== undefined && order.keyOf !== undefined) {
    deps.exampleOffsets?.put(listing, { offset: offset + found.length, key: order.keyOf(last) })
  }
  return { found, states, datasets: new Map(datasets.map((dataset) => [dataset.id, dataset])) }
}

/** Bytes of JSON that are held at once while a page is read. */
const CHUNK_BYTES = 4 * 1024 * 1024
/** Rows that are read in one go. */
const CHUNK_ROWS = 1_000

/** What of an example is JSON of any length. */
const PAYLOADS = ['inputs', 'outputs', 'metadata'] as const

/**
 * Reads the rows of a page with their JSON, in its order, some at a time: one example may have 20 MB.
 *
 * @param fields  wire fields that are needed; JSON that is not is `{}`. All unless given
 */
export async function* loadExamples(
  { relational }: ReadDeps,
  tenantId: string,
  { found, datasets, states }: FoundExamples,
  fields?: ReadonlySet<string>,
): AsyncGenerator<ExampleRow[]> {
  for (let from = 0; from < found.length; ) {
    let to = from
    const last = Math.min(found.length, from + CHUNK_ROWS)
    for (let bytes = 0; to < last && (to === from || bytes + found[to]!.bytes <= CHUNK_BYTES); to++) {
      bytes += found[to]!.bytes
    }
    const chunk = found.slice(from, to)
    const rows = await selectPayloads(relational, tenantId, chunk, states, fields)
    yield chunk.flatMap((one) => {
      const row = rows.get(one.id) // erased in between, else
      return row === undefined ? [] : [{ ...row, dataset_name: datasets.get(row.dataset_id)!.name }]
    })
    from = to
  }
}

async function selectPayloads(
  { db }: Relational,
  tenantId: string,
  wanted: readonly FoundExample[],
  states: SQL,
  fields: ReadonlySet<string> | undefined,
) {
  const payload = (name: (typeof PAYLOADS)[number]) =>
    fields === undefined || fields.has(name) ? exampleStates[name] : sql<string>`'{}'`
  const rows = await db
    .select({
      id: exampleStates.example_id,
      dataset_id: exampleStates.dataset_id,
      number: exampleStates.number,
      as_of: exampleStates.as_of,
      created_at: exampleStates.created_at,
      inputs: payload('inputs') as typeof exampleStates.inputs,
      outputs: payload('outputs') as typeof exampleStates.outputs,
      metadata: payload('metadata') as typeof exampleStates.metadata,
      splits: exampleStates.splits,
      source_run_id: exampleStates.source_run_id,
      attachments: exampleStates.attachments,
    })
    .from(exampleStates)
    .where(
      and(
        states,
        isAnyOf(
          exampleStates.example_id,
          wanted.map((one) => one.id),
        ),
        eq(exampleStates.tenant_id, tenantId),
      ),
    )
  return new Map(
    rows.map(({ attachments, ...row }) => [
      row.id,
      { ...row, attachments: JSON.parse(attachments) as StoredAttachment[] },
    ]),
  )
}

async function getScope(deps: ReadDeps, tenantId: string, query: Partial<ExampleConditions>): Promise<Scope> {
  const { dataset: datasetId, id: ids, as_of } = query
  if (datasetId !== undefined) {
    const dataset = await getDataset(deps, tenantId, datasetId)
    const version = await resolveVersion(deps, dataset, as_of)
    const pinned = version && `${datasetId} ${version.getTime()}`
    return { datasets: [dataset], states: isInVersion(tenantId, datasetId, version), pinned }
  }
  if (!ids?.length) throw new ApiError('INVALID_REQUEST', 'Name a dataset by dataset, or examples by id.')
  const homes = await selectDatasetIds(deps.relational.db, tenantId, ids)
  const datasets = [...(await selectDatasetMap(deps, tenantId, [...new Set(homes.values())])).values()]
  return { datasets, states: await selectStatesAcross(deps, datasets, as_of), pinned: undefined }
}

/** What tells one listing from another: everything but the page. */
function toListingKey(tenantId: string, pinned: string, query: ExampleQuery): string {
  const { id, splits, metadata, filter, full_text_contains, order, descending } = query
  return JSON.stringify([tenantId, pinned, id, splits, metadata, filter, full_text_contains, order, descending])
}

import {
  ApiError,
  ATTACHMENT_PREFIX,
  type Example,
  type ExampleAttachmentUrl,
  type ExampleConditions,
  type ExampleListQuery,
} from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import { addRawMembers, printObject } from '@touchstone/formats/write-object'
import { and, count, eq, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { isAnyOf } from '../../../storage/relational/columns.ts'
import type { Relational } from '../../../storage/relational/port.ts'
import { exampleStates } from '../../../storage/relational/tables/datasets.ts'
import type { StoredAttachment } from '../../attachments/index.ts'
import { type DatasetRow, getDataset, resolveVersion, selectDatasetMap } from '../index.ts'
import { withSplits } from './example-content.ts'
import {
  isInVersion,
  type OffsetCache,
  selectDatasetIds,
  selectStatesAcross,
  toConditions,
  toOrder,
} from './select-examples.ts'

type ReadDeps = Pick<Deps, 'relational'> & {
  /** Avoids counting rows up to the offset of a page. @default every page counts from the start */
  readonly exampleOffsets?: OffsetCache
}

/** A query of `GET /examples`; `dataset` or `id` is required, and `limit` may exceed a page of the API. */
export type ExampleQuery = Partial<ExampleListQuery>

/** An example at a version, with raw JSON; metadata is without `dataset_split`. */
export interface ExampleRow {
  readonly id: string
  readonly dataset_id: string
  /** Current name of its dataset. */
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

/** Sort values of a row and the size of its JSON, read before its JSON. */
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
  /** The condition that selects their versions. */
  readonly states: SQL
}

/** The datasets of a query, and the condition that selects their versions. */
interface Scope {
  readonly datasets: readonly DatasetRow[]
  readonly states: SQL
  /** Set for one version of one dataset, whose order never changes. */
  readonly pinned: string | undefined
}

/**
 * Examples of a dataset at a version, or by ids, in the requested order.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset or tag; INVALID_REQUEST, also with the position in a bad filter
 */
export async function readExamples(deps: ReadDeps, tenantId: string, query: ExampleQuery): Promise<ExampleRow[]> {
  const page = await findExamples(deps, tenantId, query)
  const rows: ExampleRow[] = []
  for await (const some of loadExamples(deps, tenantId, page)) rows.push(...some)
  return rows
}

/** Number of examples that match a query. */
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
      // The length of a long text is stored beside its pointer, so this fetches no text.
      bytes: sql<number>`octet_length(${exampleStates.inputs}) + coalesce(octet_length(${exampleStates.outputs}), 0)
        + octet_length(${exampleStates.metadata})`,
    })
    .from(exampleStates)
    .where(and(states, toConditions(tenantId, query), nearest && order.after(nearest.key)))
    .orderBy(order.by)
    .offset(offset - (nearest?.offset ?? 0))
    .limit(limit)
  const last = found.at(-1)
  if (listing !== undefined && last !== undefined && order.toKey !== undefined) {
    deps.exampleOffsets?.put(listing, { offset: offset + found.length, key: order.toKey(last) })
  }
  return { found, states, datasets: new Map(datasets.map((dataset) => [dataset.id, dataset])) }
}

/** Bytes of JSON in memory while a page is read. */
const CHUNK_BYTES = 4 * 1024 * 1024
/** Rows per query. */
const CHUNK_ROWS = 1_000

/** Fields with JSON of any length. */
const PAYLOADS = ['inputs', 'outputs', 'metadata'] as const

/**
 * Reads the rows of a page with their JSON, in its order and in chunks, because one example may have 20 MB.
 *
 * @param fields  wire fields to read; other JSON is `{}`. @default all
 */
export async function* loadExamples(
  { relational }: ReadDeps,
  tenantId: string,
  { found, datasets, states }: FoundExamples,
  fields?: ReadonlySet<string>,
): AsyncGenerator<ExampleRow[]> {
  for (let from = 0; from < found.length; ) {
    const chunk = takeChunk(found, from)
    const rows = await selectPayloads(relational, tenantId, chunk, states, fields)
    yield chunk.flatMap((one) => {
      const row = rows.get(one.id) // missing when it was erased in between
      return row === undefined ? [] : [{ ...row, dataset_name: datasets.get(row.dataset_id)?.name ?? '' }]
    })
    from += chunk.length
  }
}

/** The next rows with at most a chunk of JSON; at least one. */
function takeChunk(found: readonly FoundExample[], from: number): FoundExample[] {
  const chunk: FoundExample[] = []
  let bytes = 0
  for (const row of found.slice(from, from + CHUNK_ROWS)) {
    if (chunk.length > 0 && bytes + row.bytes > CHUNK_BYTES) break
    chunk.push(row)
    bytes += row.bytes
  }
  return chunk
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
  if (!ids?.length) throw new ApiError('INVALID_REQUEST', 'Select a dataset with dataset, or examples with id.')
  const datasetIds = await selectDatasetIds(deps.relational.db, tenantId, ids)
  const datasets = [...(await selectDatasetMap(deps, tenantId, [...new Set(datasetIds.values())])).values()]
  return { datasets, states: await selectStatesAcross(deps, datasets, as_of), pinned: undefined }
}

/** Key of a listing: everything except the page. */
function toListingKey(tenantId: string, pinned: string, query: ExampleQuery): string {
  const { id, splits, metadata, filter, full_text_contains, order, descending } = query
  return JSON.stringify([tenantId, pinned, id, splits, metadata, filter, full_text_contains, order, descending])
}

/** Returns the absolute URL of an attachment, readable without a key. */
export type ToUrl = (attachment: StoredAttachment, exampleId: string) => string

/** Selected fields of an example as JSON text, always with the id; unknown names are ignored. */
export function presentFields(row: ExampleRow, fields: ReadonlySet<string>, toUrl?: ToUrl): string {
  const members = splitMembers(presentExample(row, toUrl))
  return printObject(new Map([...members].filter(([name]) => name === 'id' || fields.has(name))))
}

/** An example as JSON text with its raw inputs, outputs and metadata. */
export function presentExample(row: ExampleRow, toUrl?: ToUrl): string {
  const example: Omit<Example, 'inputs' | 'outputs' | 'metadata' | 'attachment_urls'> = {
    id: row.id,
    dataset_id: row.dataset_id,
    name: `#${String(row.number).padStart(4, '0')} @ ${row.dataset_name}`,
    created_at: row.created_at,
    modified_at: row.as_of.toISOString(),
    source_run_id: row.source_run_id,
  }
  const metadata = withSplits(row.metadata, row.splits)
  const raw = { inputs: row.inputs, outputs: row.outputs, metadata }
  return addRawMembers(example, toUrl === undefined ? raw : { ...raw, attachment_urls: presentUrls(row, toUrl) })
}

/** As text, member by member, because an attachment may have the name `__proto__`. */
function presentUrls({ id, attachments }: ExampleRow, toUrl: ToUrl): string {
  const members = attachments.map((attachment) => {
    const { name, mime_type } = attachment
    const url: ExampleAttachmentUrl = {
      presigned_url: toUrl(attachment, id),
      s3_url: `examples/${id}/${name}`,
      mime_type,
    }
    return `${JSON.stringify(ATTACHMENT_PREFIX + name)}:${JSON.stringify(url)}`
  })
  return `{${members.join(',')}}`
}

import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { Example, KVMap } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import type { RequestOf } from '../transport/request.ts'
import type { Transport } from '../transport/transport.ts'
import { type DatasetKey, datasetIdOf } from './dataset-key.ts'
import type { VersionLike } from './dataset-versions.ts'

export interface ListExamplesParams extends DatasetKey {
  exampleIds?: string[] | undefined
  /** A moment, which means the newest version not after it, or a tag. @default the newest */
  asOf?: VersionLike | undefined
  /** In any of these splits. */
  splits?: string[] | undefined
  /** @default true */
  inlineS3Urls?: boolean | undefined
  /** Examples whose metadata contains it. */
  metadata?: KVMap | undefined
  /** Caps the total. @default all */
  limit?: number | undefined
  /** @default 0 */
  offset?: number | undefined
  /** Over metadata, such as `eq(metadata.level, 1)`. */
  filter?: string | undefined
  /** @default false */
  includeAttachments?: boolean | undefined
  /** Fields of an example, such as `inputs`. Only adds, unless `excludeDefaultFields`. */
  select?: string[] | undefined
  /** True if examples have only `id` and the fields of `select`, in spite of their type. @default false */
  excludeDefaultFields?: boolean | undefined
}

/** What one request can ask for by id: its URL must stay short, and a page has no more. */
export const IDS_PER_REQUEST = 100

export async function* pageExamples(
  transport: Transport,
  params: ListExamplesParams,
  options: CallOptions,
): AsyncGenerator<Example> {
  const { exampleIds, limit, offset = 0 } = params
  for (const [index, id] of (exampleIds ?? []).entries()) assertUuid(id, `exampleIds[${index}]`)
  const dataset = await datasetIdOf(transport, params, 'Must provide a datasetName or datasetId', options)
  const query = { dataset, ...conditionsOf(params) }
  const pages = (ids: string[] | undefined, window: { limit?: number | undefined; offset?: number | undefined }) =>
    wirePages(transport, { ...query, id: ids }, window, options)
  if (exampleIds === undefined || exampleIds.length <= IDS_PER_REQUEST) {
    yield* pages(exampleIds, { limit, offset })
    return
  }
  let at = 0
  const end = limit === undefined ? Number.POSITIVE_INFINITY : offset + limit
  for (const ids of sliced(exampleIds, IDS_PER_REQUEST)) {
    for await (const example of pages(ids, {})) {
      if (at >= end) return
      if (at++ >= offset) yield example
    }
  }
}

/** Examples by id as they stood at a version, in the order of the ids, with attachments. */
export async function readExamples(
  transport: Transport,
  dataset: string,
  exampleIds: readonly string[],
  asOf: string | undefined,
  options: CallOptions,
): Promise<Example[]> {
  const query = { dataset, as_of: asOf, inline_s3_urls: true, select: WITH_ATTACHMENTS }
  const pages = sliced(exampleIds, IDS_PER_REQUEST).map((id) =>
    collect(wirePages(transport, { ...query, id }, { limit: id.length }, options)),
  )
  const found = new Map((await Promise.all(pages)).flat().map((example) => [example.id.toLowerCase(), example]))
  return exampleIds.flatMap((id) => found.get(id.toLowerCase()) ?? [])
}

/** The three that clients have always named; the rest comes anyway. */
const WITH_ATTACHMENTS = ['attachment_urls', 'outputs', 'metadata']

function conditionsOf(params: ListExamplesParams) {
  return {
    as_of: params.asOf,
    inline_s3_urls: params.inlineS3Urls ?? true,
    splits: params.splits,
    metadata: params.metadata && JSON.stringify(params.metadata),
    filter: params.filter,
    select: selectedBy(params),
    exclude_default_fields: params.excludeDefaultFields || undefined,
  }
}

function selectedBy({ select = [], includeAttachments }: ListExamplesParams): string[] | undefined {
  const fields = new Set([...select, ...(includeAttachments ? WITH_ATTACHMENTS : [])])
  return fields.size === 0 ? undefined : [...fields]
}

async function* wirePages(
  transport: Transport,
  query: RequestOf<typeof routes.examples.list>['query'],
  window: { limit?: number | undefined; offset?: number | undefined },
  options: CallOptions,
): AsyncGenerator<Example> {
  const request = { query, ...options }
  for await (const example of offsetPages(transport, routes.examples.list, request, window)) yield readable(example)
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Pieces of at most `size` items. */
export function sliced<T>(items: readonly T[], size: number): T[][] {
  const slices: T[][] = []
  for (let at = 0; at < items.length; at += size) slices.push(items.slice(at, at + size))
  return slices
}

const PREFIX = 'attachment.'

interface WireExample extends Omit<Example, 'attachments'> {
  attachment_urls?: Record<string, { presigned_url: string; mime_type: string }> | null | undefined
}

/** The example with its attachments by their own names. */
export function readable(example: WireExample): Example {
  const { attachment_urls, ...rest } = example
  if (!attachment_urls) return rest
  const attachments = Object.fromEntries(
    Object.entries(attachment_urls).map(([name, { presigned_url, mime_type }]) => [
      name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name,
      { presigned_url, mime_type },
    ]),
  )
  return { ...rest, attachments }
}

export type { WireExample }

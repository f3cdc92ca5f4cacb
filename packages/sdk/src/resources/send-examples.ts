import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { ConflictError } from '../errors.ts'
import type { ExamplesChanged } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
import { type ExampleParts, formOf } from './example-form.ts'
import { readServerInfo } from './server.ts'

/** Reported after each acknowledged request of an upload: the counted examples are stored. */
export interface UploadProgress {
  /** Examples stored so far. */
  uploaded: number
  /** Examples there are; `undefined` while a stream has not ended. */
  total: number | undefined
  /** The version that the last request made. */
  asOf: string | undefined
}

export interface UploadOptions extends CallOptions {
  onProgress?: ((progress: UploadProgress) => void) | undefined
}

/** What travels in one request, or less where the server takes less. A larger example goes alone. */
const CHUNK_EXAMPLES = 1000
const CHUNK_BYTES = 16 * 1024 * 1024

type Source = Iterable<ExampleParts> | AsyncIterable<ExampleParts>

interface Sending extends UploadOptions {
  method: 'POST' | 'PATCH'
  total?: number | undefined
}

/**
 * Sends examples one request after the other, each only as large as a request may be; yields every answer. What was
 * answered is stored, also if later requests fail; the error has their number.
 */
export async function* sendExamples(
  transport: Transport,
  datasetId: string,
  source: Source,
  sending: Sending,
): AsyncGenerator<ExamplesChanged> {
  const { onProgress, total, method, ...options } = sending
  let uploaded = 0
  try {
    for await (const chunk of chunked(source, () => readBodyLimit(transport, options))) {
      const answer = await sendChunk(transport, datasetId, chunk, method, options)
      uploaded += chunk.length
      onProgress?.({ uploaded, total, asOf: answer.as_of })
      yield answer
    }
  } catch (error) {
    throw uploaded === 0 ? error : withCount(error, uploaded, total)
  }
}

async function sendChunk(
  transport: Transport,
  datasetId: string,
  chunk: readonly ExampleParts[],
  method: 'POST' | 'PATCH',
  options: CallOptions,
): Promise<ExamplesChanged> {
  const form = formOf(chunk)
  let isRepeated = false
  try {
    return await transport.call(method === 'POST' ? routes.examples.upload : routes.examples.patch, {
      params: { dataset_id: datasetId },
      bytes: form.bytes(),
      headers: { 'content-type': form.contentType },
      doing: method === 'POST' ? 'upload examples' : 'update examples',
      onFailure: (_, { isRetried }) => {
        isRepeated ||= isRetried
      },
      ...options,
    })
  } catch (error) {
    // The answer to an earlier attempt may have been lost on its way: then the examples in the way are these themselves.
    const own = chunk.find(({ isOwnId }) => isOwnId)
    if (!(error instanceof ConflictError) || !isRepeated || own === undefined) throw error
    const stored = await readStored(transport, datasetId, own.id, options)
    if (stored === undefined) throw error
    return { count: chunk.length, example_ids: chunk.map(({ id }) => id), as_of: stored.modified_at }
  }
}

/** The chunk is atomic, so where one of its new ids is, all are. */
async function readStored(transport: Transport, dataset: string, id: string, options: CallOptions) {
  const query = { dataset, id: [id] }
  const request = { query, ...options }
  return (await transport.call(routes.examples.list, request))[0]
}

/** A full chunk goes before the source is asked for more, so that what the source does next cannot cost what it gave. */
async function* chunked(source: Source, askLimit: () => Promise<number>): AsyncGenerator<ExampleParts[]> {
  let chunk: ExampleParts[] = []
  let bytes = 0
  let maxBytes: number | undefined
  for await (const example of source) {
    maxBytes ??= Math.min(await askLimit(), CHUNK_BYTES)
    if (chunk.length > 0 && bytes + example.bytes > maxBytes) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(example)
    bytes += example.bytes
    if (chunk.length < CHUNK_EXAMPLES) continue
    yield chunk
    chunk = []
    bytes = 0
  }
  if (chunk.length > 0) yield chunk
}

const limits = new WeakMap<Transport, number>()

/**
 * Bytes of the largest body that the server takes; asked once per client.
 *
 * @throws when the server does not know the endpoints, which is asked again
 */
async function readBodyLimit(transport: Transport, options: CallOptions): Promise<number> {
  const known = limits.get(transport)
  if (known !== undefined) return known
  const { instance_flags } = await readServerInfo(transport, options)
  if (instance_flags?.dataset_examples_multipart_enabled !== true) {
    throw new Error(
      'Your deployment does not allow using the multipart examples endpoint, please upgrade your deployment to the latest version.',
    )
  }
  const limit = Number(instance_flags.max_body_bytes ?? Number.POSITIVE_INFINITY)
  limits.set(transport, limit)
  return limit
}

function withCount(error: unknown, uploaded: number, total: number | undefined): unknown {
  if (!(error instanceof Error)) return error
  const of = total === undefined ? '' : ` of ${total}`
  error.message += `\n${uploaded}${of} examples were stored before this.`
  return error
}

import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { APIError } from '../errors.ts'
import { encodeText } from '../tracing/text-bytes.ts'
import { Multipart } from '../transport/multipart.ts'
import type { Transport } from '../transport/transport.ts'

const MAX_RECORDS = 100
const MAX_BYTES = 4 * 1024 * 1024

/** Feedback as it travels. */
interface Prepared {
  id: string
  key: string
}

/**
 * Sends feedback as parts of few ingest requests, which costs a server a fraction of as many single ones. A request that
 * is refused as a whole is sent again one by one: the refusal may be about one record, or about the form.
 *
 * @returns what went wrong with each, in order; `undefined` for what was stored
 */
export async function sendFeedbackTogether(
  transport: Transport,
  records: readonly Prepared[],
  options: CallOptions,
): Promise<(Error | undefined)[]> {
  const failures = new Map<string, Error>()
  for (const batch of batchesOf(records)) {
    for (const [id, error] of await sendBatch(transport, batch, options)) failures.set(id, error)
  }
  return records.map(({ id }) => failures.get(id))
}

interface Batch {
  records: Prepared[]
  bytes: Uint8Array[]
  size: number
}

function batchesOf(records: readonly Prepared[]): Batch[] {
  const batches: Batch[] = []
  for (const record of records) {
    const bytes = encodeText(JSON.stringify(record))
    let last = batches.at(-1)
    if (!last || last.records.length === MAX_RECORDS || last.size + bytes.length > MAX_BYTES) {
      last = { records: [], bytes: [], size: 0 }
      batches.push(last)
    }
    last.records.push(record)
    last.bytes.push(bytes)
    last.size += bytes.length
  }
  return batches
}

async function sendBatch(transport: Transport, batch: Batch, options: CallOptions): Promise<Map<string, Error>> {
  const { records, bytes } = batch
  if (records.length === 1) return await sendSingly(transport, records, options)
  const body = new Multipart()
  for (const [at, { id }] of records.entries()) body.add(`feedback.${id}`, bytes[at]!, 'application/json')
  const headers = { 'content-type': body.contentType }
  const request = { headers, doing: 'create feedback', ...options }
  try {
    const answer = await transport.call(routes.runs.multipart, {
      ...request,
      bytes: body.bytes(),
    })
    const refused = (answer?.errors ?? []).map(
      ({ run_id, error }) =>
        [run_id.replace(/^feedback\./, ''), new APIError(`Failed to create feedback: ${error}`)] as const,
    )
    return new Map(refused)
  } catch (error) {
    // Lost connections and broken servers will not do better with a hundred requests.
    const { status } = error as { status?: number }
    if (status === undefined || status >= 500) return new Map(records.map(({ id }) => [id, error as Error]))
    return await sendSingly(transport, records, options)
  }
}

async function sendSingly(
  transport: Transport,
  records: readonly Prepared[],
  options: CallOptions,
): Promise<Map<string, Error>> {
  const failures = new Map<string, Error>()
  for (const body of records) {
    try {
      await transport.send(routes.feedback.create, { body, doing: 'create feedback', ...options })
    } catch (error) {
      failures.set(body.id, error as Error)
    }
  }
  return failures
}

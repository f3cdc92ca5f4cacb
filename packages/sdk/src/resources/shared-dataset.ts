import type { CallOptions } from '../config/client-config.ts'
import { APIError, type TouchstoneError } from '../errors.ts'
import type { Example, PublicDataset } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { readable, type WireExample } from './example-shape.ts'
import { IDS_PER_REQUEST, sliced } from './list-examples.ts'

export async function readSharedDataset(
  transport: Transport,
  token: string,
  options: CallOptions,
): Promise<PublicDataset> {
  const path = `/public/${token}/datasets`
  return await transport.json({ method: 'GET', path, doing: 'read shared dataset', ...options })
}

/** Examples of a shared dataset, a page at a time. */
export async function* pageSharedExamples(
  transport: Transport,
  token: string,
  { exampleIds }: { exampleIds?: string[] | undefined },
  options: CallOptions,
): AsyncGenerator<Example> {
  const path = `/public/${token}/examples`
  const call = { method: 'GET', path, doing: 'list shared examples', ...options } as const
  try {
    for (const id of exampleIds === undefined ? [undefined] : sliced(exampleIds, IDS_PER_REQUEST)) {
      for await (const example of offsetPages<WireExample>(transport, { ...call, query: { id } }))
        yield readable(example)
    }
  } catch (error) {
    throw error instanceof APIError ? inItsWords(error) : error
  }
}

/** `Failed to list shared examples.`, then the status and what the server says of it, each on a line. */
function inItsWords(error: TouchstoneError): TouchstoneError {
  const [, status, statusText, body] =
    /^Failed to list shared examples\. Received status \[(\d+)\]: (.*?)\. Message: (.*)$/s.exec(error.message) ?? []
  if (status === undefined || body === undefined) return error
  const detail = detailOf(body)
  error.message =
    detail === undefined
      ? `Failed to list shared examples: ${status} ${statusText}`
      : `Failed to list shared examples.\nStatus: ${status}\nMessage: ${detail}`
  return error
}

/** The lines of `detail`; `undefined` where a body has none. */
function detailOf(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body)
    if (detail === undefined) return undefined
    const lines = [detail].flat().map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    return lines.join('\n') || 'Unspecified error'
  } catch {
    return undefined
  }
}

import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import type { APIError } from '../errors.ts'
import type { Example, PublicDataset } from '../schemas.ts'
import { type Reply, toHttpError } from '../transport/http-error.ts'
import { offsetPages } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { readable } from './example-shape.ts'
import { IDS_PER_REQUEST, sliced } from './list-examples.ts'

export async function readSharedDataset(
  transport: Transport,
  token: string,
  options: CallOptions,
): Promise<PublicDataset> {
  return await transport.call(routes.datasetSharing.publicDataset, {
    params: { share_token: token },
    doing: 'read shared dataset',
    ...options,
  })
}

/** Examples of a shared dataset, a page at a time. */
export async function* pageSharedExamples(
  transport: Transport,
  token: string,
  { exampleIds }: { exampleIds?: string[] | undefined },
  options: CallOptions,
): AsyncGenerator<Example> {
  const request = {
    params: { share_token: token },
    doing: 'list shared examples',
    toError: toDetailError,
    ...options,
  }
  for (const id of exampleIds === undefined ? [undefined] : sliced(exampleIds, IDS_PER_REQUEST)) {
    const pages = offsetPages(transport, routes.datasetSharing.publicExamples, { ...request, query: { id } })
    for await (const example of pages) yield readable(example)
  }
}

/** The error of the public client: `Failed to list shared examples.`, then status and detail on a line each. */
function toDetailError(doing: string, reply: Reply): APIError {
  const error = toHttpError(doing, reply)
  const detail = readDetail(reply.text)
  error.message =
    detail === undefined
      ? `Failed to ${doing}: ${reply.status} ${reply.statusText}`
      : `Failed to ${doing}.\nStatus: ${reply.status}\nMessage: ${detail}`
  return error
}

/** The lines of `detail`; `undefined` where a body has none. */
function readDetail(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body)
    if (detail === undefined) return undefined
    const lines = [detail].flat().map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    return lines.join('\n') || 'Unspecified error'
  } catch {
    return undefined
  }
}

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'

export interface RawRequest {
  /** @default GET */
  readonly method?: string
  /** Sent as it is: nothing is normalized or encoded. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends a request that `fetch` would refuse or correct: any Host, any method, any path. */
export function rawRequest(serverUrl: string, { method = 'GET', path, headers, body }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(serverUrl)
  // Node sends no length with the body of a DELETE, which would then be read as the next request.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const options = { hostname, port, path, method, agent, headers: { ...length, ...headers } }
  return new Promise((resolve, reject) => {
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    request.once('error', (cause) => reject(new Error(`${method} ${path}: ${cause.message}`, { cause })))
    request.end(body)
  })
}

/** Sends a JSON body. */
export function rawJson(
  serverUrl: string,
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  return rawRequest(serverUrl, {
    method,
    path,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
}

/** Calls `work` for each item, `limit` at a time, and returns the results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length)
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const at = next++
      results[at] = await work(items[at]!)
    }
  }
  await Promise.all(Array.from({ length: limit }, worker))
  return results
}

import { Client, type ClientConfig } from '@touchstone/sdk'
import { type RouteOf, routeOf } from './route-of.ts'

/** What our client sent, as the contract sees it. */
export interface Sent {
  /** Method and path of the contract's route, e.g. `GET /runs/{run_id}/share`. */
  readonly call: string
  /** Values that were repeated are a list. */
  readonly query: Record<string, string | string[]>
  /** JSON as a value, anything else as text; absent where nothing was sent. */
  readonly body?: unknown
}

/** Answers in the server's place, or changes what it said; `undefined` lets the server's answer through. */
export type Interfere = (sent: Sent, ask: () => Promise<Response>) => Promise<Response | undefined> | undefined

export interface WatchedClient {
  readonly client: Client
  /** What was sent since the last time one asked, in order. What the client asks about the server itself is left out. */
  taken(): Sent[]
}

/** Our client before a real server, with an eye on every request. */
export function watchClient(serverUrl: string, config: ClientConfig = {}, interfere?: Interfere): WatchedClient {
  const apiUrl = `${serverUrl}/api/v1`
  const sent: Sent[] = []
  const fetchImplementation: typeof fetch = async (input, init) => {
    const request = describe(new URL(String(input)), init)
    if (request.call !== 'GET /info') sent.push(request)
    const ask = () => fetch(input, init)
    return (await interfere?.(request, ask)) ?? (await ask())
  }
  const client = new Client({ apiUrl, fetchImplementation, ...config })
  return { client, taken: () => sent.splice(0) }
}

/** How a route appears in what was sent. */
export function callOf({ method, path }: RouteOf): string {
  return `${method} ${path}`
}

function describe(url: URL, { method = 'GET', body }: RequestInit = {}): Sent {
  const query: Sent['query'] = {}
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name)
    query[name] = values.length === 1 ? values[0]! : values
  }
  const call = callOf(routeOf(method, url.pathname))
  return { call, query, ...(body !== undefined && body !== null && { body: readable(body) }) }
}

function readable(body: BodyInit): unknown {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

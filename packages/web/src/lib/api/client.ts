import { info } from '@touchstone/contract/routes'
import type { ApiRoute } from '@touchstone/sdk'
import {
  type ClientConfig,
  clientOf,
  ProjectCalls,
  PublicClient,
  type PublicClientConfig,
  type RawRequest,
  RunCalls,
  RunStatsCalls,
  ServerCalls,
} from '@touchstone/sdk/api'
import { createStore } from '#lib/store.ts'
import { readKey, readWorkspaceId, unauthenticatedRequests } from './session.ts'

/** The public API of this page's own origin. */
const server: ClientConfig = {
  apiUrl: `${location.origin}/api/v1`,
  webUrl: location.origin,
  onAttempt: (isReachable) => {
    if (!isReachable && navigator.onLine) reportUnreachable()
  },
  // A user is waiting: two retries of what may pass, then the page shows the failure with a Retry button.
  callerOptions: { maxRetries: 2, retryStatus: (status) => [408, 425, 429].includes(status) || status >= 500 },
}

/** The API with the credentials of this browser. The UI uses it as any other program does. */
export const connection: ClientConfig = { ...server, fetchImplementation: fetchWithKey }

/** The same for what is saved when the page is closed: the browser finishes these requests, if they are small. */
export const savingConnection: ClientConfig = { ...connection, fetchOptions: { keepalive: true } }

/**
 * Bytes that a request may have to be finished after its page was closed. Browsers allow 64 KiB for all such requests of a
 * page together, and refuse a request above that.
 */
const MAX_LASTING_BYTES = 60_000

/** Whether the browser finishes a request with this JSON when the page is closed. */
export function canOutlivePage(json: string): boolean {
  // No text has fewer bytes than characters.
  return json.length <= MAX_LASTING_BYTES && new TextEncoder().encode(json).length <= MAX_LASTING_BYTES
}

/**
 * The calls that most pages need; the first page loads them. Other nouns create a client beside their queries:
 * `const client = clientOf(connection, DatasetCalls)`.
 */
export const client = clientOf(connection, ProjectCalls, RunCalls, RunStatsCalls, ServerCalls)

/** The API without credentials, for share links. */
export const publicConnection: PublicClientConfig = {
  ...server,
  fetchOptions: { credentials: 'omit', referrerPolicy: 'no-referrer' },
}

/** Reads through a share link, without credentials. */
export function openShareLink(token: string): PublicClient {
  return new PublicClient(token, publicConnection)
}

/**
 * The raw body of a response. Runs and run trees are not parsed on the main thread: they can be 20 MB large, and parsing
 * rounds large numbers.
 *
 * @param share  token of the share link to read a public route through
 */
export async function readBytes(route: ApiRoute, request: RawRequest, share?: string): Promise<ArrayBuffer> {
  const response = await (share === undefined ? client : openShareLink(share)).raw(route, request)
  return response.arrayBuffer()
}

/** Reads the key per request, because signing in or out changes it while the client stays the same. */
async function fetchWithKey(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers)
  const key = readKey()
  if (key !== undefined) headers.set('x-api-key', key)
  const workspace = readWorkspaceId()
  if (workspace !== undefined && !headers.has('x-tenant-id')) headers.set('x-tenant-id', workspace)
  // Deferred deletes are sent while the page unloads; keepalive lets them finish.
  const keepalive = init?.method === 'DELETE' || (init?.keepalive === true && isSmall(init.body))
  const response = await fetch(input, { ...init, headers, keepalive })
  if (response.status === 401) unauthenticatedRequests.write(unauthenticatedRequests.read() + 1)
  return response
}

const isSmall = (body: RequestInit['body']) => body == null || (typeof body === 'string' && canOutlivePage(body))

/** Whether the server answers. */
export async function checkServer(): Promise<boolean> {
  return (await client.raw(info.ok, { maxRetries: 0 }).catch(() => undefined)) !== undefined
}

const PROBE_EVERY_MS = 2_000

/** Whether the server has stopped answering. */
export const serverIsDown = createStore(() => false)

/** Marks the server as down, after a request without an answer, and probes it until it answers again. */
export function reportUnreachable(): void {
  if (serverIsDown.read()) return
  serverIsDown.write(true)
  const timer = setInterval(async () => {
    if (!(await checkServer()) || !serverIsDown.read()) return
    clearInterval(timer)
    serverIsDown.write(false)
  }, PROBE_EVERY_MS)
}

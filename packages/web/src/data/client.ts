import { type ClientConfig, clientOf, ProjectCalls, RunCalls, RunStatsCalls, ServerCalls } from '@touchstone/sdk/api'
import { readKey } from './api-key.ts'
import { chosenWorkspace } from './chosen-workspace.ts'
import { noteSilence } from './reachability.ts'

/** The public API of this page's own origin, spoken as any other program speaks it. */
export const connection: ClientConfig = {
  apiUrl: `${location.origin}/api/v1`,
  webUrl: location.origin,
  fetchImplementation: fetchWithKey,
  // A person is waiting: two more attempts, then the failure is drawn with a button to try again.
  callerOptions: { maxRetries: 2 },
}

/**
 * What most pages need, and the first one loads. A noun that only a dialog or a page of its own needs has a client
 * beside its queries: `const client = clientOf(connection, DatasetCalls)`.
 */
export const client = clientOf(connection, ProjectCalls, RunCalls, RunStatsCalls, ServerCalls)

let onUnauthenticated: () => void = () => undefined

/** Calls back whenever the server no longer knows whom this browser speaks for, whoever made the request. */
export function whenUnauthenticated(listener: () => void): void {
  onUnauthenticated = listener
}

/** The key is looked up per request, because signing in and out changes it under a client that stays. */
async function fetchWithKey(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers)
  const key = readKey()
  if (key !== undefined) headers.set('x-api-key', key)
  const workspace = chosenWorkspace()
  if (workspace !== undefined && !headers.has('x-tenant-id')) headers.set('x-tenant-id', workspace)
  // What is deleted as a page is left is put off until then, and has to outlive the page.
  const response = await fetch(input, { ...init, headers, keepalive: init?.method === 'DELETE' }).catch((failure) => {
    if (failure instanceof TypeError && navigator.onLine) noteSilence()
    throw failure
  })
  if (response.status === 401) onUnauthenticated()
  return response
}

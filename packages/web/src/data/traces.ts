import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Run } from '@touchstone/contract'
import { type JsonHost, openJson } from '#lib/json/json-host.ts'
import { loadTrace } from '#lib/trace-model/load-trace.ts'
import type { Trace } from '#lib/trace-model/trace.ts'
import { client } from './client.ts'
import { readKey, readWorkspaceId } from './session.ts'

/** A run as it is stored: its JSON byte for byte, and the small fields of it read. */
export interface RunDocument {
  /** Everything but inputs, outputs and whatever is large; those are read from `json` when they are shown. */
  run: Run
  json: JsonHost
  /** Inputs and outputs as values, where they are small enough to hold. */
  cargo: { inputs: unknown; outputs: unknown } | undefined
  /** Epoch milliseconds at which it was read. */
  readAt: number
}

/** `share` is the token of a public link: what it opens is read through it, and nothing is sent that says who reads. */
export const traceQuery = {
  /**
   * All runs of a trace without payloads, ready to draw; refreshed while any of them is running. Through a public link,
   * those that it opens, whatever the trace.
   */
  spine: (traceId: string, share?: string) =>
    queryOptions({
      queryKey: share === undefined ? ['trace', traceId] : ['trace', 'shared', share],
      queryFn: async ({ signal, client: queryClient, queryKey }): Promise<Trace> => {
        const known = queryClient.getQueryData<Trace>(queryKey)
        const bytes = await readBytes(share === undefined ? `/traces/${traceId}/spine` : '/spine', signal, share)
        return (await loadTrace(bytes, known?.version)) ?? known!
      },
      structuralSharing: false,
      staleTime: 15_000,
      refetchInterval: ({ state }) => (state.data && state.data.pending > 0 ? liveInterval(state.data) : false),
    }),

  /** Trace and project of a run, found without its payload. */
  place: (runId: string) =>
    queryOptions({
      queryKey: ['run-place', runId],
      queryFn: async ({ signal }) => {
        const { runs } = await client.queryRuns({ id: [runId], select: ['id'], limit: 1 }, { signal })
        return runs[0] === undefined ? null : { traceId: runs[0].trace_id, projectId: runs[0].session_id }
      },
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),

  /** One run with its payload. */
  run: (runId: string, share?: string) =>
    queryOptions({
      queryKey: share === undefined ? ['run', runId] : ['run', runId, share],
      queryFn: async ({ signal, client: queryClient, queryKey }): Promise<RunDocument> => {
        closeForgottenDocuments(queryClient)
        const path = share === undefined ? `/runs/${runId}` : `/run/${runId}`
        const json = await openJson(await readBytes(path, signal, share))
        closeSoon(queryClient.getQueryData<RunDocument>(queryKey))
        const run = (await json.call('head', ['inputs', 'outputs'], 200_000)) as Run
        return { run, json, cargo: json.api && (await readCargo(json)), readAt: Date.now() }
      },
      structuralSharing: false,
      staleTime: ({ state }) => (state.data?.run.status === 'pending' ? 2_000 : 5 * 60_000),
      gcTime: 2 * 60_000,
      refetchInterval: ({ state }) => (state.data?.run.status === 'pending' ? 3_000 : false),
    }),
}

/** Inputs and outputs as values. Numbers a float cannot hold lose digits, so they are for reading, not for showing. */
export async function readCargo(json: JsonHost): Promise<{ inputs: unknown; outputs: unknown }> {
  const read = async (key: string) => {
    const field = json.fields.find((one) => one.key === key)
    return field && json.call('parse', field.start, field.end)
  }
  return { inputs: await read('inputs'), outputs: await read('outputs') }
}

const watched = new WeakSet<QueryClient>()

/** Lets go of the workers behind documents that have left the cache. */
function closeForgottenDocuments(client: QueryClient): void {
  if (watched.has(client)) return
  watched.add(client)
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'removed' && query.queryKey[0] === 'run') (query.state.data as RunDocument | undefined)?.json?.close()
  })
}

/** A view may hold the old document until the new one is drawn. */
function closeSoon(document: RunDocument | undefined): void {
  if (document) setTimeout(() => document.json.close(), 10_000)
}

/**
 * The bytes of an answer. Runs and spines are read raw rather than through the SDK: its parsed objects would round long
 * numbers, and 20 MB of them would be built on the thread that draws.
 *
 * @param share  token of a public link, below which `path` is; then no credential of this browser goes along
 * @param body   posted as JSON; without one the path is read by GET
 */
export async function readBytes(
  path: string,
  signal?: AbortSignal,
  share?: string,
  body?: object,
): Promise<ArrayBuffer> {
  const isPublic = share !== undefined
  const key = isPublic ? undefined : readKey()
  const workspace = isPublic ? undefined : readWorkspaceId()
  const base = `${location.origin}/api/v1${isPublic ? `/public/${encodeURIComponent(share)}` : ''}`
  const response = await fetch(base + path, {
    headers: {
      ...(key !== undefined && { 'x-api-key': key }),
      ...(workspace !== undefined && { 'x-tenant-id': workspace }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    ...(isPublic && { credentials: 'omit', referrerPolicy: 'no-referrer' }),
    ...(signal === undefined ? {} : { signal }),
  })
  if (response.ok) return response.arrayBuffer()
  throw new ReadFailure(await response.text(), response)
}

/** An answer that was not a success; carries what the error state shows. */
export class ReadFailure extends Error {
  override readonly name = 'ReadFailure'
  readonly status: number
  readonly requestId: string | undefined

  constructor(body: string, response: Response) {
    super(detailOf(body) ?? `The server answered ${response.status}.`)
    this.status = response.status
    this.requestId = response.headers.get('x-request-id') ?? undefined
  }
}

function detailOf(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown }
    return typeof detail === 'string' ? detail : undefined
  } catch {
    return undefined
  }
}

/**
 * Milliseconds until a running trace is asked for again: large ones less often, and so are those in which something
 * stopped without saying so.
 */
export function liveInterval(trace: Trace): number {
  const ageMs = Date.now() - Number((trace.startMicros + BigInt(Math.round(trace.duration))) / 1000n)
  if (ageMs > 10 * 60_000) return 30_000
  return trace.size > 5_000 ? 5_000 : 2_000
}

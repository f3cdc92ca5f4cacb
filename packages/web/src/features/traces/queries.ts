import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Run } from '@touchstone/contract'
import * as routes from '@touchstone/contract/routes'
import { traces } from '@touchstone/contract/routes'
import { client, readBytes } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import { type JsonHost, openJson } from '#lib/json/json-host.ts'
import { compareInWorker } from './compare/compare-traces.ts'
import type { ComparedTraces } from './compare/merged.ts'
import { loadTrace } from './model/load-trace.ts'
import type { Trace } from './model/trace.ts'

/** A run as it is stored: its JSON byte for byte, with the small fields parsed. */
export interface RunDocument {
  /** All fields except inputs, outputs and large ones, which are read from `json` when they are shown. */
  run: Run
  json: JsonHost
  /** Inputs and outputs as values, if they are small. */
  payload: { inputs: unknown; outputs: unknown } | undefined
  /** Epoch milliseconds of the response. */
  readAt: number
}

/** Marks documents of runs in the cache. They hold a worker that has to be closed. */
const DOCUMENT_META = { isRunDocument: true }

/** `share` is the token of a public link. Requests through a public link carry no credentials. */
export const traceQuery = {
  /**
   * All runs of a trace without payloads, refetched while one of them is running. Through a public link: the shared runs,
   * whatever the trace.
   */
  tree: (traceId: string, share?: string) =>
    queryOptions({
      queryKey: share === undefined ? queryKeys.trace(traceId) : [...queryKeys.trace('shared'), share],
      queryFn: async ({ signal, client: queryClient, queryKey }): Promise<Trace> => {
        const cached = queryClient.getQueryData<Trace>(queryKey)
        const route = share === undefined ? routes.traces.runColumns : routes.sharing.publicTraceRunColumns
        const bytes = await readBytes(route, { params: { trace_id: traceId }, signal }, share)
        return (await loadTrace(bytes, cached?.version)) ?? (cached as Trace)
      },
      structuralSharing: false,
      staleTime: 15_000,
      refetchInterval: ({ state }) => (state.data && state.data.pending > 0 ? getLiveInterval(state.data) : false),
    }),

  /** Trace and project of a run, read without its payload. */
  location: (runId: string) =>
    queryOptions({
      queryKey: ['run-location', runId],
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
      queryKey: share === undefined ? queryKeys.run(runId) : [...queryKeys.run(runId), share],
      queryFn: async ({ signal, client: queryClient, queryKey }): Promise<RunDocument> => {
        closeRemovedDocuments(queryClient)
        const route = share === undefined ? routes.runs.read : routes.sharing.publicRunById
        const json = await openJson(await readBytes(route, { params: { run_id: runId }, signal }, share))
        closeSoon(queryClient.getQueryData<RunDocument>(queryKey))
        const run = (await json.call('head', ['inputs', 'outputs'], 200_000)) as Run
        return { run, json, payload: json.api && (await readPayload(json)), readAt: Date.now() }
      },
      structuralSharing: false,
      staleTime: ({ state }) => (state.data?.run.status === 'pending' ? 2_000 : 5 * 60_000),
      gcTime: 2 * 60_000,
      refetchInterval: ({ state }) => (state.data?.run.status === 'pending' ? 3_000 : false),
      meta: DOCUMENT_META,
    }),
}

/** Inputs and outputs as values. Large numbers lose digits, so show numbers from the raw JSON instead. */
export async function readPayload(json: JsonHost): Promise<{ inputs: unknown; outputs: unknown }> {
  const read = async (key: string) => {
    const field = json.fields.find((one) => one.key === key)
    return field && json.call('parse', field.start, field.end)
  }
  return { inputs: await read('inputs'), outputs: await read('outputs') }
}

const watched = new WeakSet<QueryClient>()

/** Closes the workers of documents that were removed from the cache. */
function closeRemovedDocuments(client: QueryClient): void {
  if (watched.has(client)) return
  watched.add(client)
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'removed' && query.meta === DOCUMENT_META) (query.state.data as RunDocument | undefined)?.json.close()
  })
}

/** Closes the old document after the new one has been drawn. */
function closeSoon(document: RunDocument | undefined): void {
  if (document) setTimeout(() => document.json.close(), 10_000)
}

/**
 * Polling interval of a running trace in ms. Large traces are polled less often, and so are traces with a run that probably
 * stopped without an end event.
 */
export function getLiveInterval(trace: Trace): number {
  const ageMs = Date.now() - Number((trace.startMicros + BigInt(Math.round(trace.duration))) / 1000n)
  if (ageMs > 10 * 60_000) return 30_000
  return trace.size > 5_000 ? 5_000 : 2_000
}

/** Trace and project of a run. */
interface RunLocation {
  traceId: string
  projectId: string
}

type RunComparison = { compared: ComparedTraces; a: RunLocation; b: RunLocation } | { missing: string }

/** Compares two runs and all runs below them. Refetched while a run on either side is running. */
export function compareRunsQuery(a: string, b: string) {
  return queryOptions({
    queryKey: ['compare-runs', a, b],
    queryFn: async ({ signal, client }): Promise<RunComparison> => {
      const [sideA, sideB] = await Promise.all([readSide(client, a, signal), readSide(client, b, signal)])
      if (!sideA) return { missing: a }
      if (!sideB) return { missing: b }
      const compared = await compareInWorker({ a: sideA, b: sideB }, signal)
      return { compared, a: sideA.location, b: sideB.location }
    },
    structuralSharing: false,
    staleTime: 60_000,
    gcTime: 60_000,
    refetchInterval: ({ state: { data } }) => {
      const live = data && 'compared' in data ? [data.compared.a, data.compared.b].filter((one) => one.pending > 0) : []
      return live.length === 0 ? false : Math.max(...live.map(getLiveInterval))
    },
  })
}

async function readSide(client: QueryClient, run: string, signal: AbortSignal) {
  const location = await client.fetchQuery(traceQuery.location(run))
  if (location === null) return null
  return { run, location, tree: await readBytes(traces.runColumns, { params: { trace_id: location.traceId }, signal }) }
}

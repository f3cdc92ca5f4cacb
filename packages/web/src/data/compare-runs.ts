import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { traces } from '@touchstone/contract/routes'
import { compareInWorker } from '#lib/trace-compare/compare-traces.ts'
import type { ComparedTraces } from '#lib/trace-compare/merged.ts'
import { readBytes } from './client.ts'
import { getLiveInterval, traceQuery } from './traces.ts'

/** Trace and project of a run. */
export interface RunLocation {
  traceId: string
  projectId: string
}

export type RunComparison = { compared: ComparedTraces; a: RunLocation; b: RunLocation } | { missing: string }

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
  return { run, location, tree: await readBytes(traces.runs, { params: { trace_id: location.traceId }, signal }) }
}

import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { compareInWorker } from '#lib/trace-compare/compare-spines.ts'
import type { ComparedTraces } from '#lib/trace-compare/merged.ts'
import { liveInterval, readBytes, traceQuery } from './traces.ts'

/** Where a run is found. */
export interface RunPlace {
  traceId: string
  projectId: string
}

export type RunComparison = { compared: ComparedTraces; a: RunPlace; b: RunPlace } | { missing: string }

/** Two runs with all below them, laid over each other; read anew while anything on either side is running. */
export function compareRunsQuery(a: string, b: string) {
  return queryOptions({
    queryKey: ['compare-runs', a, b],
    queryFn: async ({ signal, client }): Promise<RunComparison> => {
      const [sideA, sideB] = await Promise.all([readSide(client, a, signal), readSide(client, b, signal)])
      if (!sideA) return { missing: a }
      if (!sideB) return { missing: b }
      const compared = await compareInWorker({ a: sideA, b: sideB }, signal)
      return { compared, a: sideA.place, b: sideB.place }
    },
    structuralSharing: false,
    staleTime: 60_000,
    gcTime: 60_000,
    refetchInterval: ({ state: { data } }) => {
      const live = data && 'compared' in data ? [data.compared.a, data.compared.b].filter((one) => one.pending > 0) : []
      return live.length === 0 ? false : Math.max(...live.map(liveInterval))
    },
  })
}

async function readSide(client: QueryClient, run: string, signal: AbortSignal) {
  const place = await client.fetchQuery(traceQuery.place(run))
  return place && { run, place, spine: await readBytes(`/traces/${place.traceId}/spine`, signal) }
}

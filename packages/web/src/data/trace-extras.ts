import { queryOptions } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import { client } from './client.ts'
import { readBytes } from './traces.ts'

/** What the pictures of a trace ask for besides its spine. */
export interface TraceExtras {
  /** Ids of the runs that hold a text anywhere in their payloads; a public link does not search. */
  found?: (text: string) => ReturnType<typeof foundIn>
  /** Runs that a graph of states ran as its nodes; empty when none did. A public link does not filter for them. */
  steps?: () => ReturnType<typeof stepsOf>
  /** Inputs and outputs of some runs, in the order of the ids. */
  cargo: (ids: readonly string[]) => ReturnType<typeof cargoOf>
}

export interface StepRecord {
  id: string
  node: string
  step: number
}

export interface CargoRecord {
  id: string
  inputs: unknown
  outputs: unknown
  error: string | null
}

/** @param version  of the trace; a newer one asks anew */
export function traceExtras(traceId: string, version: string): TraceExtras {
  return {
    found: (text) => foundIn(traceId, version, text),
    steps: () => stepsOf(traceId, version),
    cargo: (ids) => cargoOf(version, ids),
  }
}

/** The same for whoever holds the token of a public link. */
export function sharedTraceExtras(share: string, version: string): TraceExtras {
  return { cargo: (ids) => cargoOf(version, ids, share) }
}

function foundIn(traceId: string, version: string, text: string) {
  return queryOptions({
    queryKey: ['trace-search', traceId, version, text],
    queryFn: async ({ signal }) => {
      const filter = `search(${JSON.stringify(text)})`
      const { runs } = await client.queryRuns({ trace: traceId, filter, select: ['id'] }, { signal })
      return runs.map(({ id }) => id)
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
}

function stepsOf(traceId: string, version: string) {
  return queryOptions({
    queryKey: ['trace-steps', traceId, version],
    queryFn: async ({ signal }): Promise<StepRecord[]> => {
      const body = { trace: traceId, filter: 'eq(metadata_key, "langgraph_node")', select: ['id', 'name', 'extra'] }
      const { runs } = await client.queryRuns(body, { signal })
      return runs.flatMap(({ id, name, extra }) => {
        const { langgraph_node: node, langgraph_step: step } = (extra?.metadata ?? {}) as Record<string, unknown>
        // Everything below a node carries the node's metadata; the node itself is the run that also bears its name.
        return typeof node === 'string' && node === name ? [{ id, node, step: Number(step) || 0 }] : []
      })
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

function cargoOf(version: string, ids: readonly string[], share?: string) {
  return queryOptions({
    queryKey: ['trace-cargo', share, version, ids],
    queryFn: async ({ signal }): Promise<CargoRecord[]> => {
      const body = { id: [...ids], select: ['id', 'inputs', 'outputs', 'error'] }
      const { runs } =
        share === undefined
          ? await client.queryRuns({ ...body, limit: ids.length }, { signal })
          : await queryShared(share, body, signal)
      const byId = new Map(runs.map((run) => [run.id, run]))
      return ids.flatMap((id) => {
        const run = byId.get(id)
        return run ? [{ id, inputs: run.inputs, outputs: run.outputs, error: run.error ?? null }] : []
      })
    },
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Runs that a public link opens; no credential of this browser goes along. */
export async function queryShared(share: string, body: object, signal: AbortSignal): Promise<{ runs: Run[] }> {
  return JSON.parse(new TextDecoder().decode(await readBytes('/runs/query', signal, share, body)))
}

import { queryOptions } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import { client, openShareLink } from '#lib/api/client.ts'
import { floatAt } from '#lib/columns.ts'
import { findToolRows } from './model/tool-runs.ts'
import { idAt, type Trace } from './model/trace.ts'

/** Queries of the visualizations of a trace, besides its run tree. */
export interface TraceExtras {
  /** Ids of the runs whose payloads contain the text. Absent for public links. */
  search?: (text: string) => ReturnType<typeof searchTraceQuery>
  /** Runs that are nodes of a LangGraph graph; empty if there are none. Absent for public links. */
  steps?: () => ReturnType<typeof stepsQuery>
  /** Inputs and outputs of some runs, in the order of the ids. */
  payloads: (ids: readonly string[]) => ReturnType<typeof payloadsQuery>
}

export interface GraphStep {
  id: string
  node: string
  step: number
}

export interface RunPayload {
  id: string
  inputs: unknown
  outputs: unknown
  error: string | null
}

/** @param version  of the trace; part of the cache keys */
export function traceExtras(traceId: string, version: string): TraceExtras {
  return {
    search: (text) => searchTraceQuery(traceId, version, text),
    steps: () => stepsQuery(traceId, version),
    payloads: (ids) => payloadsQuery(version, ids),
  }
}

/** The same through a public link. */
export function sharedTraceExtras(share: string, version: string): TraceExtras {
  return { payloads: (ids) => payloadsQuery(version, ids, share) }
}

function searchTraceQuery(traceId: string, version: string, text: string) {
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

function stepsQuery(traceId: string, version: string) {
  return queryOptions({
    queryKey: ['trace-steps', traceId, version],
    queryFn: async ({ signal }): Promise<GraphStep[]> => {
      const steps: GraphStep[] = []
      let cursor: string | null = null
      for (let page = 0; page < MAX_STEP_PAGES; page++) {
        const body = { trace: traceId, filter: HAS_NODE, select: ['id', 'name', 'extra'], limit: PAGE_SIZE }
        const answer: RunPage = await client.queryRuns({ ...body, ...(cursor && { cursor }) }, { signal })
        steps.push(...answer.runs.flatMap(toStep))
        cursor = answer.cursors.next
        if (cursor === null) break
      }
      return steps
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

const HAS_NODE = 'eq(metadata_key, "langgraph_node")'
/** All runs below a node match too, so the nodes of a long graph are on many pages. */
const MAX_STEP_PAGES = 20

type RunPage = Awaited<ReturnType<typeof client.queryRuns>>

/** All runs below a node carry the node's metadata; the node itself also has its name. */
function toStep({ id, name, extra }: Run): GraphStep[] {
  const { langgraph_node: node, langgraph_step: step } = (extra?.metadata ?? {}) as Record<string, unknown>
  return typeof node === 'string' && node === name ? [{ id, node, step: Number(step) || 0 }] : []
}

function payloadsQuery(version: string, ids: readonly string[], share?: string) {
  return queryOptions({
    queryKey: ['trace-payloads', share, version, ids],
    queryFn: async ({ signal }): Promise<RunPayload[]> => {
      const body = { id: [...ids], select: ['id', 'inputs', 'outputs', 'error'] }
      const runs =
        share === undefined
          ? (await client.queryRuns({ ...body, limit: ids.length }, { signal })).runs
          : await openShareLink(share).queryRuns(body, { signal })
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

/** The tool runs that the messages of a run may refer to. */
interface ToolRunsAround {
  /** Tool runs that started later, in order of start. */
  after: Run[]
  /** Tool runs that started earlier, the latest first. */
  before: Run[]
}

/** Larger payloads are not loaded here. */
const MAX_PAYLOAD_BYTES = 256 * 1024
/** Limit of all payloads together; runs beyond it show their previews. */
const MAX_TOTAL_BYTES = 4 * 1024 * 1024
/** Ids per request. */
const PAGE_SIZE = 100
const LIGHT = ['id', 'name', 'status', 'start_time', 'end_time', 'extra', 'error_preview', 'outputs_preview']

/**
 * Tool runs around a row of a trace, with payloads unless they are large.
 *
 * @param share  token of the public link to read through
 */
export function toolRunsQuery(trace: Trace, row: number, share?: string) {
  return queryOptions({
    queryKey: ['tool-runs', share, idAt(trace, row), trace.version],
    queryFn: async ({ signal }): Promise<ToolRunsAround> => {
      const rows = findToolRows(trace, row)
      const all = [...rows.after, ...rows.before]
      let bytes = 0
      const small = all.filter((one) => {
        const own = floatAt(trace.payloadBytes, one)
        if (own > MAX_PAYLOAD_BYTES || bytes + own > MAX_TOTAL_BYTES) return false
        bytes += own
        return true
      })
      const large = all.filter((one) => !small.includes(one))
      const read = (some: readonly number[], select: string[]) =>
        readRuns(
          some.map((one) => idAt(trace, one)),
          select,
          signal,
          share,
        )
      const runs = (await Promise.all([read(small, [...LIGHT, 'inputs', 'outputs']), read(large, LIGHT)])).flat()
      const byId = new Map(runs.map((run) => [run.id, run]))
      const inOrder = (some: readonly number[]) => some.flatMap((one) => byId.get(idAt(trace, one)) ?? [])
      return { after: inOrder(rows.after), before: inOrder(rows.before) }
    },
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
}

async function readRuns(ids: string[], select: string[], signal: AbortSignal, share?: string): Promise<Run[]> {
  const pages = Array.from({ length: Math.ceil(ids.length / PAGE_SIZE) }, async (_, page) => {
    const body = { id: ids.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE), select }
    return share === undefined
      ? (await client.queryRuns({ ...body, limit: PAGE_SIZE }, { signal })).runs
      : await openShareLink(share).queryRuns(body, { signal })
  })
  return (await Promise.all(pages)).flat()
}

import { queryOptions } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import { floatAt } from '#lib/trace-model/columns.ts'
import { toolRowsAround } from '#lib/trace-model/tool-runs.ts'
import { idAt, type Trace } from '#lib/trace-model/trace.ts'
import { client } from './client.ts'
import { queryShared } from './trace-extras.ts'

/** The tool runs that a run with messages may speak of. */
export interface ToolRunsAround {
  /** What may have run because of it, in order of start. */
  after: Run[]
  /** What ran before it, the latest first. */
  before: Run[]
}

/** Bytes; what a larger tool run took and gave is read when the run itself is opened. */
const MOST_BYTES = 256 * 1024
/** Bytes of all of them; beyond it the farther ones are shown by their previews too. */
const MOST_BYTES_TOGETHER = 4 * 1024 * 1024
/** What one request may ask for. */
const PAGE = 100
const LIGHT = ['id', 'name', 'status', 'start_time', 'end_time', 'extra', 'error_preview', 'outputs_preview']

/**
 * Tool runs around a row of a trace, with their payloads unless those are large.
 *
 * @param share  token of the public link that is read through
 */
export function toolRunsQuery(trace: Trace, row: number, share?: string) {
  return queryOptions({
    queryKey: ['tool-runs', share, idAt(trace, row), trace.version],
    queryFn: async ({ signal }): Promise<ToolRunsAround> => {
      const rows = toolRowsAround(trace, row)
      const all = [...rows.after, ...rows.before]
      let bytes = 0
      const small = all.filter((one) => {
        const own = floatAt(trace.payloadBytes, one)
        if (own > MOST_BYTES || bytes + own > MOST_BYTES_TOGETHER) return false
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
  const pages = Array.from({ length: Math.ceil(ids.length / PAGE) }, async (_, page) => {
    const body = { id: ids.slice(page * PAGE, (page + 1) * PAGE), select }
    const answer =
      share === undefined
        ? await client.queryRuns({ ...body, limit: PAGE }, { signal })
        : await queryShared(share, body, signal)
    return answer.runs
  })
  return (await Promise.all(pages)).flat()
}

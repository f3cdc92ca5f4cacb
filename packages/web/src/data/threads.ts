import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Run, ThreadSummaryPage } from '@touchstone/sdk'
import { clientOf, RunCalls, RunStatsCalls, ThreadCalls } from '@touchstone/sdk/api'
import type { Filters } from '#lib/filter/chips.ts'
import { openJson } from '#lib/json/json-host.ts'
import { type Bounds, boundsOf } from '#lib/time/time-range.ts'
import { connection } from './client.ts'
import { readBytes, readCargo } from './traces.ts'

const client = clientOf(connection, RunCalls, RunStatsCalls, ThreadCalls)

/** Which threads of a project a list shows. */
export interface ThreadsView {
  projectId: string
  t: string
  /** Which traces count, by their roots; with which a thread must have one; and with which run in one. */
  filters: Filters
  errors?: boolean | undefined
}

interface Cursor {
  bounds: Bounds
  cursor: string | undefined
}

/** What a turn was given and what it answered; `size` alone when that is too much to read unasked. */
export type TurnCargo = { inputs: unknown; outputs: unknown } | { size: number }

const PAGE = 50
const TURNS = 100
/** A turn whose run has more bytes is shown in its trace instead. */
export const MOST_TURN_BYTES = 8_000_000
const ALL_TIME = '1970-01-01T00:00:00.000Z'

const LIKELY = /(thread|conversation|session|chat|dialog|ticket).*id$/i

const TURN = (
  'id name run_type status start_time end_time error_preview inputs_preview outputs_preview total_tokens ' +
  'prompt_tokens completion_tokens total_cost trace_id session_id feedback_stats'
).split(' ')

export const threadQuery = {
  /** Threads by their latest activity. */
  list: (view: ThreadsView) =>
    infiniteQueryOptions({
      queryKey: ['threads', view.projectId, 'list', view],
      queryFn: async ({ pageParam, signal }): Promise<ThreadSummaryPage & { bounds: Bounds }> => {
        const { bounds, cursor } = pageParam ?? { bounds: boundsOf(view.t, Date.now()), cursor: undefined }
        const body = {
          project_id: view.projectId,
          // Without a bound the API looks at the last day.
          min_start_time: bounds.from ?? ALL_TIME,
          max_start_time: bounds.to,
          filter: view.filters.run,
          trace_filter: view.filters.root,
          tree_filter: view.filters.tree,
          thread_filter: view.errors ? 'gt(num_errored_turns, 0)' : undefined,
          page_size: PAGE,
          cursor,
        }
        return { ...(await client.queryThreads(body, { signal })), bounds }
      },
      initialPageParam: undefined as Cursor | undefined,
      getNextPageParam: (page) =>
        page.next_cursor === undefined ? undefined : { bounds: page.bounds, cursor: page.next_cursor },
      staleTime: 30_000,
    }),

  /** Keys of metadata that look like the id of a conversation, among the traces of the last week. */
  likelyKeys: (projectId: string) =>
    queryOptions({
      queryKey: ['threads', projectId, 'keys'],
      queryFn: async ({ signal }) => {
        const body = { session: [projectId], is_root: true, start_time: boundsOf('7d', Date.now()).from }
        const { facets } = await client.queryRunFacets({ ...body, facets: ['metadata_key'], limit: 200 }, { signal })
        const found = facets.flatMap(({ values }) => values.map(({ value }) => value))
        return found.filter((key) => LIKELY.test(key))
      },
    }),

  /** The turns of a conversation, oldest first and without what was said. */
  turns: (projectId: string, threadId: string) =>
    infiniteQueryOptions({
      queryKey: ['threads', projectId, 'turns', threadId],
      queryFn: async ({ pageParam: cursor, signal }) => {
        const filter = `eq(thread_id, ${JSON.stringify(threadId)})`
        const page = await client.queryRuns(
          { session: [projectId], is_root: true, filter, order: 'asc', select: TURN, limit: TURNS, cursor },
          { signal },
        )
        return { turns: page.runs, next: page.cursors.next ?? undefined }
      },
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next,
      staleTime: 30_000,
    }),

  /** What was said in a turn. */
  cargo: (turn: Pick<Run, 'id' | 'end_time'>) =>
    queryOptions({
      queryKey: ['threads', 'cargo', turn.id, turn.end_time ?? null],
      queryFn: ({ signal }) => readTurn(turn.id, signal),
      structuralSharing: false,
      staleTime: turn.end_time ? Number.POSITIVE_INFINITY : 2_000,
      gcTime: 2 * 60_000,
      meta: { quiet: true },
    }),

  /** The tools that a turn called, as runs of their own: the first hundred. */
  tools: (turn: Pick<Run, 'trace_id' | 'session_id' | 'start_time' | 'end_time'>) =>
    queryOptions({
      queryKey: ['threads', 'tools', turn.trace_id, turn.end_time ?? null],
      queryFn: async ({ signal }) => {
        const select = 'id name run_type status start_time end_time inputs_preview outputs_preview error_preview'
        const page = await client.queryRuns(
          {
            session: [turn.session_id],
            run_type: 'tool',
            // Rather than `trace`, which would answer all of them.
            filter: `eq(trace_id, ${JSON.stringify(turn.trace_id)})`,
            start_time: turn.start_time,
            order: 'asc',
            limit: TURNS,
            select: select.split(' '),
          },
          { signal },
        )
        return { tools: page.runs, more: page.cursors.next !== null }
      },
      staleTime: turn.end_time ? Number.POSITIVE_INFINITY : 2_000,
      gcTime: 2 * 60_000,
      meta: { quiet: true },
    }),
}

async function readTurn(runId: string, signal: AbortSignal): Promise<TurnCargo> {
  const bytes = await readBytes(`/runs/${runId}`, signal)
  if (bytes.byteLength > MOST_TURN_BYTES) return { size: bytes.byteLength }
  const json = await openJson(bytes)
  try {
    return await readCargo(json)
  } finally {
    json.close()
  }
}

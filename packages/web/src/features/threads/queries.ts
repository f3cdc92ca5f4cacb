import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { runs } from '@touchstone/contract/routes'
import type { Run, ThreadSummaryPage } from '@touchstone/sdk'
import { clientOf, RunCalls, RunStatsCalls, ThreadCalls } from '@touchstone/sdk/api'
import { readPayload } from '#features/traces/queries.ts'
import { connection, readBytes } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import type { Filters } from '#lib/filter/chips.ts'
import { openJson } from '#lib/json/json-host.ts'
import { type Bounds, toBounds } from '#lib/time/time-range.ts'

const client = clientOf(connection, RunCalls, RunStatsCalls, ThreadCalls)

/** The threads of a project that a list shows. */
export interface ThreadsView {
  projectId: string
  t: string
  /** `run` and `root` apply to root runs; a thread matches if one of its traces matches, `tree` by any of its runs. */
  filters: Filters
  errors?: boolean | undefined
  /** A condition on whole threads, such as their scores, in the filter language. */
  threadFilter?: string | undefined
}

interface Cursor {
  bounds: Bounds
  cursor: string | undefined
}

/** Input and output of a turn, or only its size in bytes if it is large. */
export type TurnPayload = { inputs: unknown; outputs: unknown } | { size: number }

const PAGE_SIZE = 50
const TURNS_PAGE_SIZE = 100
/** Larger turns are only shown in their trace. */
export const MAX_TURN_BYTES = 8_000_000
const HAS_FAILED_TURN = 'gt(num_errored_turns, 0)'
const ALL_TIME = '1970-01-01T00:00:00.000Z'

const THREAD_KEY = /(thread|conversation|session|chat|dialog|ticket).*id$/i

const TURN_FIELDS = (
  'id name run_type status start_time end_time error_preview inputs_preview outputs_preview derived_payloads total_tokens ' +
  'prompt_tokens completion_tokens total_cost reported_cost unpriced_fees trace_id session_id feedback_stats'
).split(' ')

export const threadQuery = {
  all: queryKeys.threads,
  /** Threads by their latest activity. */
  list: (view: ThreadsView) =>
    infiniteQueryOptions({
      queryKey: [...queryKeys.threadListsOfProject(view.projectId), view],
      queryFn: async ({ pageParam, signal }): Promise<ThreadSummaryPage & { bounds: Bounds }> => {
        const { bounds, cursor } = pageParam ?? { bounds: toBounds(view.t, Date.now()), cursor: undefined }
        const body = {
          project_id: view.projectId,
          // Without a bound the API returns the last day.
          min_start_time: bounds.from ?? ALL_TIME,
          max_start_time: bounds.to,
          filter: view.filters.run,
          trace_filter: view.filters.root,
          tree_filter: view.filters.tree,
          thread_filter: toThreadFilter(view),
          page_size: PAGE_SIZE,
          cursor,
        }
        return { ...(await client.queryThreads(body, { signal })), bounds }
      },
      initialPageParam: undefined as Cursor | undefined,
      getNextPageParam: (page) =>
        page.next_cursor === undefined ? undefined : { bounds: page.bounds, cursor: page.next_cursor },
      staleTime: 30_000,
    }),

  /** Metadata keys of last week's traces that look like a thread id. */
  likelyKeys: (projectId: string) =>
    queryOptions({
      queryKey: [...queryKeys.threadsOfProject(projectId), 'keys'],
      queryFn: async ({ signal }) => {
        const body = { session: [projectId], is_root: true, start_time: toBounds('7d', Date.now()).from }
        const { facets } = await client.queryRunFacets({ ...body, facets: ['metadata_key'], limit: 200 }, { signal })
        const found = facets.flatMap(({ values }) => values.map(({ value }) => value))
        return found.filter((key) => THREAD_KEY.test(key))
      },
    }),

  /** The turns of a thread, oldest first, without payloads. */
  turns: (projectId: string, threadId: string) =>
    infiniteQueryOptions({
      queryKey: [...queryKeys.threadsOfProject(projectId), 'turns', threadId],
      queryFn: async ({ pageParam: cursor, signal }) => {
        const filter = `eq(thread_id, ${JSON.stringify(threadId)})`
        const page = await client.queryRuns(
          {
            session: [projectId],
            is_root: true,
            filter,
            order: 'asc',
            select: TURN_FIELDS,
            limit: TURNS_PAGE_SIZE,
            cursor,
          },
          { signal },
        )
        return { runs: page.runs, next: page.cursors.next ?? undefined }
      },
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next,
      staleTime: 30_000,
    }),

  /** Input and output of a turn. */
  payload: (turn: Pick<Run, 'id' | 'end_time'>) =>
    queryOptions({
      queryKey: [...queryKeys.threads(), 'payload', turn.id, turn.end_time ?? null],
      queryFn: ({ signal }) => readTurn(turn.id, signal),
      structuralSharing: false,
      staleTime: turn.end_time ? Number.POSITIVE_INFINITY : 2_000,
      gcTime: 2 * 60_000,
      meta: { quiet: true },
    }),

  /** The first 100 tool runs of a turn. */
  tools: (turn: Pick<Run, 'trace_id' | 'session_id' | 'start_time' | 'end_time'>) =>
    queryOptions({
      queryKey: [...queryKeys.threads(), 'tools', turn.trace_id, turn.end_time ?? null],
      queryFn: async ({ signal }) => {
        const select = 'id name run_type status start_time end_time inputs_preview outputs_preview error_preview'
        const page = await client.queryRuns(
          {
            session: [turn.session_id],
            run_type: 'tool',
            // `trace` would ignore the limit and return all of them.
            filter: `eq(trace_id, ${JSON.stringify(turn.trace_id)})`,
            start_time: turn.start_time,
            order: 'asc',
            limit: TURNS_PAGE_SIZE,
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

function toThreadFilter({ errors, threadFilter }: ThreadsView): string | undefined {
  if (!errors) return threadFilter
  return threadFilter === undefined ? HAS_FAILED_TURN : `and(${HAS_FAILED_TURN}, ${threadFilter})`
}

async function readTurn(runId: string, signal: AbortSignal): Promise<TurnPayload> {
  const bytes = await readBytes(runs.read, { params: { run_id: runId }, signal })
  if (bytes.byteLength > MAX_TURN_BYTES) return { size: bytes.byteLength }
  const json = await openJson(bytes)
  try {
    return await readPayload(json)
  } finally {
    json.close()
  }
}

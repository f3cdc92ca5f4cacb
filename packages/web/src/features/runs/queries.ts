import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Run, RunQuery, RunStats } from '@touchstone/sdk'
import { client } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import type { Filters } from '#lib/filter/chips.ts'
import { type Bounds, toBounds } from '#lib/time/time-range.ts'
import { addUpdates, composeRows, flushPending, getPollStart, type LiveUpdates, NO_UPDATES } from './live-merge.ts'

/** What the API can sort runs by. */
export type RunSort = NonNullable<RunQuery['sort_by']>

/** The runs of a project that a list shows. */
export interface RunsView {
  projectId: string
  scope: 'traces' | 'runs'
  t: string
  filters: Filters
  /** Absent: by start time. */
  sortBy?: RunSort | undefined
  order: 'asc' | 'desc'
  /** Whether to load metadata. It can be large, so it is loaded only for columns that show it. */
  withExtra: boolean
}

interface Cursor {
  /** Computed with the first page, so that a relative range does not move while the user scrolls. */
  bounds: Bounds
  cursor: string | undefined
}

export interface RunsPage {
  runs: Run[]
  /** The time range of all pages. */
  bounds: Bounds
  next: Cursor | undefined
}

const FIRST_PAGE_SIZE = 50
/** Later pages are larger: a user who scrolls past the first page usually continues. */
const LATER_PAGE_SIZE = 100
const POLL_PAGE_SIZE = 100
const MAX_POLL_PAGES = 5
/** A run may arrive after runs that started later, so polls look back; every fifth poll looks back further. */
const OVERLAP_MS = 60_000
const DEEP_OVERLAP_MS = 15 * 60_000
const DEEP_EVERY = 5
/** Polling interval of a live list. */
export const LIVE_MS = 2_000

/** A failed poll is not retried; the next poll follows soon. */
const NO_RETRIES = { maxRetries: 0 }

const LIST_FIELDS = (
  'id name run_type status start_time end_time first_token_time error_preview inputs_preview outputs_preview derived_payloads ' +
  'total_tokens prompt_tokens completion_tokens total_cost reported_cost unpriced_fees trace_id parent_run_id session_id tags thread_id feedback_stats'
).split(' ')

/** Marks lists of runs in the cache. */
const LIST_META = { isRunsList: true }

export const runsQuery = {
  /** Rows without payloads, in order. Never refetched: live updates patch the rows instead of moving them. */
  list: (view: RunsView) =>
    infiniteQueryOptions({
      queryKey: [...queryKeys.runsOfProject(view.projectId), 'list', view],
      queryFn: async ({ pageParam, signal }): Promise<RunsPage> => {
        const { bounds, cursor } = pageParam ?? { bounds: toBounds(view.t, Date.now()), cursor: undefined }
        const page = await client.queryRuns(
          {
            ...toBody(view),
            ...toTimes(bounds),
            limit: cursor === undefined ? FIRST_PAGE_SIZE : LATER_PAGE_SIZE,
            cursor,
          },
          { signal },
        )
        const next = page.cursors.next
        return { runs: page.runs, bounds, next: next === null ? undefined : { bounds, cursor: next } }
      },
      initialPageParam: undefined as Cursor | undefined,
      getNextPageParam: (page) => page.next,
      staleTime: Number.POSITIVE_INFINITY,
      meta: LIST_META,
    }),

  /** Runs that came or changed since the list was loaded, polled. */
  updates: (queryClient: QueryClient, view: RunsView) =>
    queryOptions({
      queryKey: [...queryKeys.runsOfProject(view.projectId), 'updates', view],
      queryFn: ({ signal }) => readUpdates(queryClient, view, signal),
      staleTime: Number.POSITIVE_INFINITY,
      meta: { quiet: true },
    }),

  /** How many runs the list would show now. */
  count: (view: Omit<RunsView, 'withExtra' | 'sortBy' | 'order'>) =>
    queryOptions({
      queryKey: [...queryKeys.runsOfProject(view.projectId), 'count', view],
      queryFn: async ({ signal }) => {
        const body = { ...toRunConditions(view, toBounds(view.t, Date.now())), select: ['run_count'] }
        return ((await client.queryRunStats(body, { signal })) as RunStats).run_count ?? 0
      },
      retry: false,
      meta: { quiet: true },
    }),

  /** Whether the project has any run at all. */
  any: (projectId: string) =>
    queryOptions({
      queryKey: [...queryKeys.runsOfProject(projectId), 'any'],
      queryFn: async ({ signal }) => {
        const page = await client.queryRuns({ session: [projectId], limit: 1, select: ['id'] }, { signal })
        return page.runs.length > 0
      },
      staleTime: 0,
    }),

  allNewest: () => [...queryKeys.runs(), 'newest'] as const,
  /** The newest trace of any of these projects, for a page that waits for the first trace. */
  newest: (projectIds: readonly string[]) =>
    queryOptions({
      queryKey: [...runsQuery.allNewest(), projectIds],
      queryFn: async ({ signal }) => {
        const page = await client.queryRuns(
          { session: [...projectIds], is_root: true, limit: 1, select: LIST_FIELDS },
          { signal },
        )
        return page.runs[0] ?? null
      },
      staleTime: 0,
      meta: { quiet: true },
    }),
}

/**
 * The conditions of a list in a run query.
 *
 * @param bounds  the time range; absent: all times
 */
export function toRunConditions(view: Pick<RunsView, 'projectId' | 'scope' | 'filters'>, bounds: Bounds = {}) {
  const { run, root, tree } = view.filters
  return {
    session: [view.projectId],
    ...(view.scope === 'traces' && { is_root: true }),
    ...(run !== undefined && { filter: run }),
    ...(root !== undefined && { trace_filter: root }),
    ...(tree !== undefined && { tree_filter: tree }),
    ...toTimes(bounds),
  } satisfies RunQuery
}

/** Moves the pending rows into the list. */
export function flushPendingRuns(queryClient: QueryClient, view: RunsView): void {
  queryClient.setQueryData(runsQuery.updates(queryClient, view).queryKey, (updates) => updates && flushPending(updates))
}

/** Reloads the list with relative time ranges counted from now. Rows stay on screen until the response arrives. */
export async function reloadRuns(queryClient: QueryClient, view: RunsView): Promise<void> {
  const list = runsQuery.list(view)
  await queryClient.cancelQueries({ queryKey: list.queryKey })
  const fresh = await queryClient.fetchInfiniteQuery({ ...list, pages: 1, staleTime: 0 })
  queryClient.setQueryData(runsQuery.updates(queryClient, view).queryKey, NO_UPDATES)
  queryClient.setQueryData(list.queryKey, fresh)
}

async function readUpdates(queryClient: QueryClient, view: RunsView, signal: AbortSignal): Promise<LiveUpdates<Run>> {
  const listKey = runsQuery.list(view).queryKey
  const updatesKey = runsQuery.updates(queryClient, view).queryKey
  const before = queryClient.getQueryData(updatesKey) ?? NO_UPDATES
  const list = queryClient.getQueryData(listKey)
  const loaded = collectLoadedRuns(list, before)
  const polls = queryClient.getQueryState(updatesKey)?.dataUpdateCount ?? 0
  const since = getPollStart([...loaded.values()], polls % DEEP_EVERY === 0 ? DEEP_OVERLAP_MS : OVERLAP_MS)
  const { runs, overflow } = await readSince(view, since, loaded, signal)
  const running = [...loaded.values()].filter(
    (run) => run.status === 'pending' && !runs.some(({ id }) => id === run.id),
  )
  const changed = await reloadRunning(view, running, signal)
  // Pending rows may have been flushed during the request, so read the cache again.
  return addUpdates(queryClient.getQueryData(updatesKey) ?? NO_UPDATES, [...runs, ...changed], overflow)
}

/** Reads runs from a start time on, until a page has no new run. */
async function readSince(
  view: RunsView,
  since: string | undefined,
  loaded: ReadonlyMap<string, Run>,
  signal: AbortSignal,
) {
  const runs: Run[] = []
  const from = since ?? toBounds(view.t, Date.now()).from
  let cursor: string | undefined
  for (let page = 0; page < MAX_POLL_PAGES; page++) {
    const body = { ...toBody(view), ...toTimes({ from }), limit: POLL_PAGE_SIZE, cursor }
    const answer = await client.queryRuns(body, { signal, ...NO_RETRIES })
    runs.push(...answer.runs)
    const isAllLoaded = answer.runs.every((run) => loaded.has(run.id))
    if (isAllLoaded || answer.cursors.next === null) return { runs, overflow: false }
    cursor = answer.cursors.next
  }
  return { runs, overflow: true }
}

/** Newer versions of runs that were running when last loaded. */
async function reloadRunning(view: RunsView, runs: readonly Run[], signal: AbortSignal): Promise<Run[]> {
  if (runs.length === 0) return []
  const { session, select } = toBody(view)
  const id = runs.slice(0, POLL_PAGE_SIZE).map((run) => run.id)
  return (await client.queryRuns({ id, session, select, limit: POLL_PAGE_SIZE }, { signal, ...NO_RETRIES })).runs
}

function collectLoadedRuns(list: InfiniteData<RunsPage> | undefined, updates: LiveUpdates<Run>): Map<string, Run> {
  const base = list?.pages.flatMap((page) => page.runs) ?? []
  const { rows, pendingRows } = composeRows(base, updates)
  return new Map([...pendingRows, ...rows].map((run) => [run.id, run]))
}

function toBody(view: RunsView) {
  return {
    ...toRunConditions(view),
    ...(view.sortBy !== undefined && { sort_by: view.sortBy }),
    order: view.order,
    select: view.withExtra ? [...LIST_FIELDS, 'extra'] : LIST_FIELDS,
  } satisfies RunQuery
}

function toTimes({ from, to }: Bounds) {
  return { ...(from !== undefined && { start_time: from }), ...(to !== undefined && { end_time: to }) }
}

/** Changes fields of a run wherever it is cached: in lists, in their updates and in its own document. */
export function patchRun(queryClient: QueryClient, runId: string, change: Partial<Run>): void {
  const patch = (data: unknown) => patchData(data, runId, change)
  queryClient.setQueriesData({ queryKey: queryKeys.runs() }, patch)
  queryClient.setQueriesData({ queryKey: queryKeys.threads() }, patch)
  queryClient.setQueryData(queryKeys.run(runId), (document: { run: Run } | undefined) =>
    document === undefined ? undefined : { ...document, run: { ...document.run, ...change } },
  )
}

/** Lists hold pages of runs and their updates a map by id; other data stays the same. */
function patchData(data: unknown, runId: string, change: Partial<Run>): unknown {
  if (typeof data !== 'object' || data === null) return data
  if ('pages' in data) {
    const { pages } = data as { pages: { runs?: Run[] }[] }
    if (!pages.some(({ runs }) => runs?.some(({ id }) => id === runId))) return data
    return {
      ...data,
      pages: pages.map((page) =>
        page.runs === undefined
          ? page
          : { ...page, runs: page.runs.map((run) => (run.id === runId ? { ...run, ...change } : run)) },
      ),
    }
  }
  if ('byId' in data) {
    const byId = data.byId as ReadonlyMap<string, Run>
    const run = byId.get(runId)
    return run === undefined ? data : { ...data, byId: new Map(byId).set(runId, { ...run, ...change }) }
  }
  return data
}

const MAX_LOADED_RUNS = 200

/** The newest runs of all loaded lists, for the search of recent runs. */
export function findLoadedRuns(queryClient: QueryClient): Run[] {
  const found = new Map<string, Run>()
  const lists = queryClient.getQueriesData<InfiniteData<RunsPage>>({ predicate: ({ meta }) => meta === LIST_META })
  for (const [, data] of lists) {
    for (const run of data?.pages.flatMap((page) => page.runs) ?? []) found.set(run.id, run)
  }
  return [...found.values()]
    .sort((one, other) => (String(one.start_time) < String(other.start_time) ? 1 : -1))
    .slice(0, MAX_LOADED_RUNS)
}

/** The last write per run. Writes of one run are sequential, so that the last change also arrives last. */
const pendingWrites = new Map<string, Promise<unknown>>()

/**
 * Sets the tags of a run: on the screen at once, then on the server.
 *
 * @param before  the current tags, shown again if the server rejects the change
 */
export async function setRunTags(
  queryClient: QueryClient,
  run: { id: string; trace_id: string },
  tags: string[],
  before: string[],
): Promise<void> {
  patchRun(queryClient, run.id, { tags })
  const write = (pendingWrites.get(run.id) ?? Promise.resolve()).then(() => client.setRunTags(run.id, tags))
  const settled = write.catch(() => undefined)
  pendingWrites.set(run.id, settled)
  try {
    await write
  } catch (error) {
    patchRun(queryClient, run.id, { tags: before })
    throw error
  } finally {
    if (pendingWrites.get(run.id) === settled) {
      pendingWrites.delete(run.id)
      void queryClient.invalidateQueries({ queryKey: queryKeys.run(run.id) })
      void queryClient.invalidateQueries({ queryKey: queryKeys.trace(run.trace_id) })
    }
  }
}

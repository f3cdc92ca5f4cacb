import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Run, RunQuery, RunStats } from '@touchstone/sdk'
import type { Filters } from '#lib/filter/chips.ts'
import { addNews, admitAll, composeRows, type News, NO_NEWS, watermark } from '#lib/runs/live-merge.ts'
import { type Bounds, boundsOf } from '#lib/time/time-range.ts'
import { client } from './client.ts'

/** Which runs of a project a list shows. */
export interface RunsView {
  projectId: string
  scope: 'traces' | 'runs'
  t: string
  /** As the API takes them. */
  filters: Filters
  /** By start time. */
  order: 'asc' | 'desc'
  /** Metadata is read only for columns that show it: it can be large. */
  withExtra: boolean
}

interface Cursor {
  /** Fixed when the first page is read, so that a relative range does not slide while one scrolls. */
  bounds: Bounds
  cursor: string | undefined
}

export interface RunsPage {
  runs: Run[]
  /** The window in which all pages of the list are read. */
  bounds: Bounds
  next: Cursor | undefined
}

const PAGE = 50
/** Whoever goes on reads on. */
const LATER_PAGE = 100
const POLL = 100
const MOST_POLL_PAGES = 5
/** A run may arrive after others that began later: polls look back, now and then further. */
const OVERLAP_MS = 60_000
const DEEP_OVERLAP_MS = 15 * 60_000
const DEEP_EVERY = 5
/** How often a live list asks for news. */
export const LIVE_MS = 2_000

/** The next poll is the retry. */
const ONCE = { maxRetries: 0 }

const LIGHT = (
  'id name run_type status start_time end_time first_token_time error_preview inputs_preview outputs_preview ' +
  'total_tokens prompt_tokens completion_tokens total_cost trace_id parent_run_id session_id tags thread_id feedback_stats'
).split(' ')

export const runsQuery = {
  /** Light rows, newest first. Never read again by itself: live news patch what is shown instead of moving it. */
  list: (view: RunsView) =>
    infiniteQueryOptions({
      queryKey: ['runs', view.projectId, 'list', view],
      queryFn: async ({ pageParam, signal }): Promise<RunsPage> => {
        const { bounds, cursor } = pageParam ?? { bounds: boundsOf(view.t, Date.now()), cursor: undefined }
        const page = await client.queryRuns(
          { ...bodyOf(view), ...timesOf(bounds), limit: cursor === undefined ? PAGE : LATER_PAGE, cursor },
          { signal },
        )
        const next = page.cursors.next
        return { runs: page.runs, bounds, next: next === null ? undefined : { bounds, cursor: next } }
      },
      initialPageParam: undefined as Cursor | undefined,
      getNextPageParam: (page) => page.next,
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** What came since the list was loaded, polled. */
  news: (queryClient: QueryClient, view: RunsView) =>
    queryOptions({
      queryKey: ['runs', view.projectId, 'news', view],
      queryFn: ({ signal }) => readNews(queryClient, view, signal),
      staleTime: Number.POSITIVE_INFINITY,
      meta: { quiet: true },
    }),

  /** How many runs a view would list now. */
  count: (view: Omit<RunsView, 'withExtra' | 'order'>) =>
    queryOptions({
      queryKey: ['runs', view.projectId, 'count', view],
      queryFn: async ({ signal }) => {
        const body = { ...conditionsOf(view, boundsOf(view.t, Date.now())), select: ['run_count'] }
        return ((await client.queryRunStats(body, { signal })) as RunStats).run_count ?? 0
      },
      retry: false,
      meta: { quiet: true },
    }),

  /** Whether the project holds any run at all, whatever the view hides. */
  any: (projectId: string) =>
    queryOptions({
      queryKey: ['runs', projectId, 'any'],
      queryFn: async ({ signal }) => {
        const page = await client.queryRuns({ session: [projectId], limit: 1, select: ['id'] }, { signal })
        return page.runs.length > 0
      },
      staleTime: 0,
    }),

  /** The newest trace of any of these projects, for a page that waits for the first one. */
  newest: (projectIds: readonly string[]) =>
    queryOptions({
      queryKey: ['runs', 'newest', projectIds],
      queryFn: async ({ signal }) => {
        const page = await client.queryRuns(
          { session: [...projectIds], is_root: true, limit: 1, select: LIGHT },
          { signal },
        )
        return page.runs[0] ?? null
      },
      staleTime: 0,
      meta: { quiet: true },
    }),
}

/**
 * The conditions of a list as the API takes them.
 *
 * @param bounds  where the time range begins and ends; without them, all times
 */
export function conditionsOf(view: Pick<RunsView, 'projectId' | 'scope' | 'filters'>, bounds: Bounds = {}) {
  const { run, root, tree } = view.filters
  return {
    session: [view.projectId],
    ...(view.scope === 'traces' && { is_root: true }),
    ...(run !== undefined && { filter: run }),
    ...(root !== undefined && { trace_filter: root }),
    ...(tree !== undefined && { tree_filter: tree }),
    ...timesOf(bounds),
  } satisfies RunQuery
}

/** Lets the waiting runs into the list. */
export function admitNews(queryClient: QueryClient, view: RunsView): void {
  queryClient.setQueryData(runsQuery.news(queryClient, view).queryKey, (news) => news && admitAll(news))
}

/** Reads the list anew, relative time ranges counted from now; rows on screen stay until the answer is there. */
export async function reloadRuns(queryClient: QueryClient, view: RunsView): Promise<void> {
  const list = runsQuery.list(view)
  await queryClient.cancelQueries({ queryKey: list.queryKey })
  const fresh = await queryClient.fetchInfiniteQuery({ ...list, pages: 1, staleTime: 0 })
  queryClient.setQueryData(runsQuery.news(queryClient, view).queryKey, NO_NEWS)
  queryClient.setQueryData(list.queryKey, fresh)
}

async function readNews(queryClient: QueryClient, view: RunsView, signal: AbortSignal): Promise<News<Run>> {
  const listKey = runsQuery.list(view).queryKey
  const newsKey = runsQuery.news(queryClient, view).queryKey
  const before = queryClient.getQueryData(newsKey) ?? NO_NEWS
  const list = queryClient.getQueryData(listKey)
  const known = knownRuns(list, before)
  const polls = queryClient.getQueryState(newsKey)?.dataUpdateCount ?? 0
  const since = watermark([...known.values()], polls % DEEP_EVERY === 0 ? DEEP_OVERLAP_MS : OVERLAP_MS)
  const { runs, overflow } = await readSince(view, since, known, signal)
  const running = [...known.values()].filter((run) => run.status === 'pending' && !runs.some(({ id }) => id === run.id))
  const finished = await readAgain(view, running, signal)
  // Runs may have been admitted while this was on its way: add to what stands now, not to what stood then.
  return addNews(queryClient.getQueryData(newsKey) ?? NO_NEWS, [...runs, ...finished], overflow)
}

/** Runs from a start time on, until a page brings nothing unknown. */
async function readSince(
  view: RunsView,
  since: string | undefined,
  known: ReadonlyMap<string, Run>,
  signal: AbortSignal,
) {
  const runs: Run[] = []
  const from = since ?? boundsOf(view.t, Date.now()).from
  let cursor: string | undefined
  for (let page = 0; page < MOST_POLL_PAGES; page++) {
    const body = { ...bodyOf(view), ...timesOf({ from }), limit: POLL, cursor }
    const answer = await client.queryRuns(body, { signal, ...ONCE })
    runs.push(...answer.runs)
    const isAllKnown = answer.runs.every((run) => known.has(run.id))
    if (isAllKnown || answer.cursors.next === null) return { runs, overflow: false }
    cursor = answer.cursors.next
  }
  return { runs, overflow: true }
}

/** Newer versions of runs that were still going when last seen. */
async function readAgain(view: RunsView, runs: readonly Run[], signal: AbortSignal): Promise<Run[]> {
  if (runs.length === 0) return []
  const { session, select } = bodyOf(view)
  const id = runs.slice(0, POLL).map((run) => run.id)
  return (await client.queryRuns({ id, session, select, limit: POLL }, { signal, ...ONCE })).runs
}

function knownRuns(list: InfiniteData<RunsPage> | undefined, news: News<Run>): Map<string, Run> {
  const base = list?.pages.flatMap((page) => page.runs) ?? []
  const { rows, waiting } = composeRows(base, news)
  return new Map([...waiting, ...rows].map((run) => [run.id, run]))
}

function bodyOf(view: RunsView) {
  return {
    ...conditionsOf(view),
    order: view.order,
    select: view.withExtra ? [...LIGHT, 'extra'] : LIGHT,
  } satisfies RunQuery
}

function timesOf({ from, to }: Bounds) {
  return { ...(from !== undefined && { start_time: from }), ...(to !== undefined && { end_time: to }) }
}

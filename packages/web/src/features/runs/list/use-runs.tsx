import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { reduceSelection, type SelectionAction, startSelection } from '#lib/row-selection.ts'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import { composeRows, NO_UPDATES } from '../live-merge.ts'
import { flushPendingRuns, LIVE_MS, type RunsView, runsQuery } from '../queries.ts'

/** How a list was left on this history entry. */
interface SavedPosition {
  offset: number
  activeId: string
  selected: string[]
  pages: number
}

type PositionMemory = ReturnType<typeof useEntryMemory<SavedPosition>>

export type Runs = ReturnType<typeof useRuns>
export type RunList = ReturnType<typeof useRunList>['list']
export type LiveRuns = ReturnType<typeof useRunList>['live']
export type RunSelection = ReturnType<typeof useRunSelection>

/** A project's list of runs, its live updates and its selection, restored as they were left on this history entry. */
export function useRuns(view: RunsView, isLive: boolean) {
  const memory = useEntryMemory<SavedPosition>(`runs:${view.projectId}`)
  const [saved] = useState(memory.recall)
  const { list, live } = useRunList(view, isLive)
  const selection = useRunSelection(list.ids, toSelectionKey(view), saved, memory)
  useSavedPages(list.query, saved?.pages ?? 0, memory)
  const { note } = memory
  return {
    list,
    live,
    selection,
    scroll: { initialOffset: saved?.offset, save: useCallback((offset: number) => note({ offset }), [note]) },
  }
}

function useRunList(view: RunsView, isLive: boolean) {
  const queryClient = useQueryClient()
  const query = useInfiniteQuery({ ...runsQuery.list(view), placeholderData: keepPreviousData })
  // After a filter that the server rejects, the last good result stays on screen.
  const lastGood = useRef(query.data)
  if (query.data !== undefined) lastGood.current = query.data
  const pages = (query.data ?? lastGood.current)?.pages
  const canUpdate = isLive && endsNow(view)
  const news = useQuery({
    ...runsQuery.updates(queryClient, view),
    enabled: canUpdate && query.isSuccess && !query.isPlaceholderData,
    refetchInterval: LIVE_MS,
  })
  const { rows, pendingRows: waiting } = useMemo(
    () => composeRows(pages?.flatMap((page) => page.runs) ?? [], news.data ?? NO_UPDATES),
    [pages, news.data],
  )
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const list = {
    query,
    rows,
    ids: useMemo(() => rows.map((run) => run.id), [rows]),
    /** Fixed when the list is read, so that figures beside it count the same runs. */
    bounds: pages?.[0]?.bounds,
    /** Whether the rows belong to an earlier view because the new ones are still loading. */
    isStale: query.isPlaceholderData || (query.isError && query.data === undefined),
    /** Stops loading the list; the rows on screen stay. */
    cancel: useCallback(
      () => void queryClient.cancelQueries({ queryKey: runsQuery.list(view).queryKey }),
      [queryClient, view],
    ),
    loadMore: useCallback(() => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
    }, [hasNextPage, isFetchingNextPage, fetchNextPage]),
  }
  const live = {
    isOn: canUpdate,
    /** A new run could belong anywhere in a list that is sorted by a figure, so such a list is only refreshed on demand. */
    isPaused: isLive && view.sortBy !== undefined,
    /** Whether the list can receive new runs at all. */
    isPossible: endsNow(view),
    error: news.error,
    /** New runs that are not in the list yet. */
    waiting,
    /** Whether more runs arrived than were read. */
    overflow: news.data?.overflow ?? false,
    /** Moves the waiting runs into the list. */
    admit: useCallback(() => flushPendingRuns(queryClient, view), [queryClient, view]),
  }
  return { list, live }
}

/** "All" means all runs of a view; another view starts without it. */
function toSelectionKey({ scope, t, filters }: RunsView): string {
  return JSON.stringify([scope, t, filters])
}

export function useRunSelection(
  ids: readonly string[],
  viewKey: string,
  saved: SavedPosition | undefined,
  { note }: Pick<PositionMemory, 'note'>,
) {
  const [state, setState] = useState(() => startSelection(saved?.activeId, saved?.selected))
  const [allOfKey, setAllOfKey] = useState<string>()
  const latest = useRef(state)
  // Saved before a navigation that the same event starts, so that the entry being left keeps the position.
  const dispatch = useCallback(
    (action: SelectionAction) => {
      const next = reduceSelection(latest.current, action)
      latest.current = next
      setState(next)
      note({ selected: [...next.selectedIds], ...(next.activeId !== undefined && { activeId: next.activeId }) })
    },
    [note],
  )
  const isAll = allOfKey === viewKey && state.selectedIds.size > 0
  // Functions keep their identity while pages arrive, because all rows on screen render again with them.
  const loaded = useRef(ids)
  loaded.current = ids
  /** A change of single rows starts from the checked rows, and ends the selection of all runs. */
  const dispatchRows = useCallback(
    (action: SelectionAction) => {
      if (isAll) dispatch({ type: 'selectAll', ids: loaded.current })
      setAllOfKey(undefined)
      dispatch(action)
    },
    [dispatch, isAll],
  )
  return {
    activeId: state.activeId,
    selectedIds: state.selectedIds,
    /** Whether all runs of the view are selected, also those that are not loaded. */
    isAll,
    setAll: useCallback((isOn: boolean) => setAllOfKey(isOn ? viewKey : undefined), [viewKey]),
    /** Loaded rows with a checked box. */
    checkedIds: useMemo(() => (isAll ? new Set(ids) : state.selectedIds), [isAll, ids, state.selectedIds]),
    activate: useCallback((id: string) => dispatch({ type: 'activate', id }), [dispatch]),
    toggle: useCallback((id: string) => dispatchRows({ type: 'toggle', id }), [dispatchRows]),
    selectRange: useCallback(
      (id: string) => dispatchRows({ type: 'selectRange', id, ids: loaded.current }),
      [dispatchRows],
    ),
    selectAll: useCallback(() => dispatchRows({ type: 'selectAll', ids: loaded.current }), [dispatchRows]),
    clear: useCallback(() => dispatchRows({ type: 'clear' }), [dispatchRows]),
  }
}

/** Loads as many pages after a reload as were loaded before it. */
function useSavedPages(query: RunList['query'], savedPages: number, { note }: PositionMemory) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const loadedPages = query.isPlaceholderData ? 0 : (query.data?.pages.length ?? 0)
  useEffect(() => {
    const isShort = loadedPages > 0 && loadedPages < savedPages
    if (isShort && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, loadedPages, savedPages, fetchNextPage])
  useEffect(() => {
    if (loadedPages >= savedPages) note({ pages: loadedPages })
  }, [loadedPages, savedPages, note])
}

/** Only a list whose range ends now, newest first, can receive new runs at its top. */
function endsNow({ t, sortBy, order }: RunsView): boolean {
  return sortBy === undefined && order === 'desc' && (!t.includes('..') || t.endsWith('..'))
}

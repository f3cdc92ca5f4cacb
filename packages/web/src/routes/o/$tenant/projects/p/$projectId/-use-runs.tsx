import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { admitNews, LIVE_MS, type RunsView, runsQuery } from '#data/runs.ts'
import { composeRows, NO_NEWS } from '#lib/runs/live-merge.ts'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import { sortRows } from './-sort-rows.ts'

interface Left {
  offset: number
  activeId: string
  selected: string[]
  pages: number
}

export type Runs = ReturnType<typeof useRuns>

/** A project's list of runs with its live news, its active row and its selection, as it was left on this history entry. */
export function useRuns(view: RunsView, sort: string, isLive: boolean) {
  const queryClient = useQueryClient()
  const list = useInfiniteQuery({ ...runsQuery.list(view), placeholderData: keepPreviousData })
  // A filter that the server refuses leaves on screen what the last good one found.
  const lastGood = useRef(list.data)
  if (list.data !== undefined) lastGood.current = list.data
  const pages = (list.data ?? lastGood.current)?.pages
  const news = useQuery({
    ...runsQuery.news(queryClient, view),
    enabled: isLive && list.isSuccess && !list.isPlaceholderData && mayHaveNews(view),
    refetchInterval: LIVE_MS,
  })
  const { recall, note } = useEntryMemory<Left>(`runs:${view.projectId}`)
  const [left] = useState(recall)
  const [activeId, setActiveId] = useState(left?.activeId)
  const [selected, setSelected] = useState<ReadonlySet<string>>(() => new Set(left?.selected))
  const [anchor, setAnchor] = useState<string>()

  const { rows: inOrder, waiting } = useMemo(
    () => composeRows(pages?.flatMap((page) => page.runs) ?? [], news.data ?? NO_NEWS),
    [pages, news.data],
  )
  const rows = useMemo(() => sortRows(inOrder, sort), [inOrder, sort])
  const ids = useMemo(() => rows.map((run) => run.id), [rows])

  // After a reload of the page, as many pages are read as had been.
  const loadedPages = list.isPlaceholderData ? 0 : (list.data?.pages.length ?? 0)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  useEffect(() => {
    const isShort = loadedPages > 0 && loadedPages < (left?.pages ?? 0)
    if (isShort && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, loadedPages, left, fetchNextPage])
  useEffect(() => {
    if (loadedPages >= (left?.pages ?? 0)) note({ pages: loadedPages })
  }, [loadedPages, left, note])

  const select = useCallback(
    (next: ReadonlySet<string>) => {
      setSelected(next)
      note({ selected: [...next] })
    },
    [note],
  )
  const setActive = useCallback(
    (id: string) => {
      setActiveId(id)
      note({ activeId: id })
    },
    [note],
  )

  return {
    list,
    rows,
    ids,
    /** Fixed when the list was read, so that figures beside it count the same runs. */
    bounds: pages?.[0]?.bounds,
    /** Whether the rows are those of an earlier view, until the new ones are there. */
    isStale: list.isPlaceholderData || (list.isError && list.data === undefined),
    waiting,
    overflow: news.data?.overflow ?? false,
    isLive: isLive && mayHaveNews(view),
    liveError: news.error,
    /** Stops reading the list; what is on screen stays. */
    cancel: useCallback(
      () => void queryClient.cancelQueries({ queryKey: runsQuery.list(view).queryKey }),
      [queryClient, view],
    ),
    admit: useCallback(() => admitNews(queryClient, view), [queryClient, view]),
    loadMore: useCallback(() => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
    }, [hasNextPage, isFetchingNextPage, fetchNextPage]),
    initialOffset: left?.offset,
    noteOffset: useCallback((offset: number) => note({ offset }), [note]),
    activeId,
    setActive,
    selected,
    toggleSelected: useCallback(
      (id: string) => {
        const next = new Set(selected)
        if (!next.delete(id)) next.add(id)
        select(next)
        setAnchor(id)
        setActive(id)
      },
      [selected, select, setActive],
    ),
    /** From the row that was selected last, else the active one, to this one. */
    selectRange: (id: string) => {
      const from = anchor !== undefined && selected.has(anchor) ? anchor : activeId
      const ends = [from === undefined ? 0 : ids.indexOf(from), ids.indexOf(id)].sort((a, b) => a - b)
      setAnchor(id)
      select(new Set([...selected, ...ids.slice(Math.max(ends[0]!, 0), ends[1]! + 1)]))
      setActive(id)
    },
    selectAll: () => select(new Set(ids)),
    clearSelection: () => select(new Set()),
    neighboursOf: (id: string) => {
      const at = ids.indexOf(id)
      return { previous: at > 0 ? ids[at - 1] : undefined, next: at < 0 ? undefined : ids[at + 1] }
    },
  }
}

/** Only a list that begins at the present can have news. */
function mayHaveNews({ t, order }: RunsView): boolean {
  return order === 'desc' && (!t.includes('..') || t.endsWith('..'))
}

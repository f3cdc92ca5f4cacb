import { keepPreviousData, type UseInfiniteQueryResult, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import type { ThreadSummary } from '@touchstone/sdk'
import { type MouseEvent, useCallback, useMemo, useRef, useState } from 'react'
import { FilterBar } from '#features/filter/filter-bar.tsx'
import { observedValuesQuery } from '#features/filter/queries.ts'
import type { Suggest } from '#features/filter/suggestions.tsx'
import { ProjectFrame } from '#features/projects/project-frame.tsx'
import { toRunConditions } from '#features/runs/queries.ts'
import { formatCount, zoneLabel } from '#lib/format.ts'
import { type ThreadsSearch, toFilterSearch, toThreadsRequest } from '#lib/page-search.ts'
import { toBounds } from '#lib/time/time-range.ts'
import { Button } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { ErrorState, PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { TimeRangeMenu } from '#ui/time-range-menu.tsx'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import { threadQuery } from '../queries.ts'
import { NoThreads } from './no-threads.tsx'
import { ScoreFilter } from './score-filter.tsx'
import { listScoreKeys, ThreadCard, toThreadColumns } from './threads-columns.tsx'

export interface ThreadsPageProps {
  tenant: string
  projectId: string
  search: ThreadsSearch
}

/** The conversations of a project, the latest active first. */
export function ThreadsPage({ tenant, projectId, search }: ThreadsPageProps) {
  const navigate = useNavigate({ from: '/o/$tenant/projects/p/$projectId/threads/' })
  const queryClient = useQueryClient()
  const view = useMemo(() => toThreadsRequest(projectId, search), [projectId, search])
  const query = useInfiniteQuery({ ...threadQuery.list(view), placeholderData: keepPreviousData })
  const threads = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data])
  const scoreKeys = useMemo(() => listScoreKeys(threads), [threads])
  const suggest = useSuggestions(projectId, view.t)
  const place = usePlace(projectId)
  const [menu, setMenu] = useState(false)
  const change = (part: Partial<ThreadsSearch>) => void navigate({ search: (current) => ({ ...current, ...part }) })
  const reload = () => void queryClient.resetQueries({ queryKey: threadQuery.list(view).queryKey })
  useShortcuts('List', [
    { keys: 't', label: 'Time range', run: () => setMenu(true) },
    { keys: 'shift+r', label: 'Refresh the list', run: reload },
  ])

  return (
    <ProjectFrame
      tenant={tenant}
      projectId={projectId}
      tab="threads"
      toolbar={
        <>
          <TimeRangeMenu value={search.t} onChange={(t) => change({ t })} open={menu} onOpenChange={setMenu} />
          <Button
            aria-pressed={search.errors ?? false}
            onClick={() => change({ errors: search.errors ? undefined : true })}
            className="aria-pressed:border-accent aria-pressed:bg-selected"
          >
            With failed turns
          </Button>
          <ScoreFilter
            filter={search.threadFilter}
            keys={scoreKeys}
            onChange={(threadFilter) => change({ threadFilter })}
          />
        </>
      }
      status={
        <>
          <span role="status">
            {query.isSuccess &&
              `${formatCount(threads.length)}${query.hasNextPage ? '+' : ''} ${threads.length === 1 ? 'thread' : 'threads'}`}
          </span>
          <span className="ml-auto hidden sm:inline">Latest activity first</span>
          <span className="hidden sm:inline">{zoneLabel('local')}</span>
          <button type="button" className="text-accent hover:underline" onClick={reload}>
            Refresh
          </button>
        </>
      }
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <FilterBar filters={view.filters} onChange={(filters) => change(toFilterSearch(filters))} suggest={suggest} />
        <div className="flex min-h-0 min-w-0 flex-1">
          <PaneBoundary title="Could not show the list">
            {query.isPending ? (
              <div className="min-w-0 flex-1">
                <SkeletonRows rows={20} label="Loading threads" />
              </div>
            ) : query.isError && threads.length === 0 ? (
              <div className="flex-1">
                <ErrorState title="Could not load threads" error={query.error} onRetry={() => void query.refetch()} />
              </div>
            ) : threads.length === 0 ? (
              <NoThreads tenant={tenant} projectId={projectId} search={search} onChange={change} />
            ) : (
              <ThreadsTable
                tenant={tenant}
                projectId={projectId}
                query={query}
                threads={threads}
                scoreKeys={scoreKeys}
                place={place}
              />
            )}
          </PaneBoundary>
        </div>
      </div>
    </ProjectFrame>
  )
}

function useSuggestions(projectId: string, t: string) {
  const bounds = useMemo(() => toBounds(t, Date.now()), [t])
  return useCallback<Suggest>(
    (ask, filters) => observedValuesQuery(toRunConditions({ projectId, scope: 'traces', filters }, bounds), ask),
    [projectId, bounds],
  )
}

/** Where the reader was in the list when the page opened. The table is too short-lived to hold it: a refresh ends it. */
function usePlace(projectId: string) {
  const { recall, note } = useEntryMemory<{ offset: number; activeId: string }>(`threads:${projectId}`)
  const [saved] = useState(recall)
  const [activeId, setActiveId] = useState(saved?.activeId)
  return { saved, note, activeId, setActiveId }
}

interface ThreadsTableProps {
  tenant: string
  projectId: string
  query: Pick<
    UseInfiniteQueryResult,
    'error' | 'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage'
  >
  threads: readonly ThreadSummary[]
  /** Keys of the feedback on these threads, the most frequent first. */
  scoreKeys: readonly string[]
  place: ReturnType<typeof usePlace>
}

function ThreadsTable({ tenant, projectId, query, threads, scoreKeys, place }: ThreadsTableProps) {
  const router = useRouter()
  const grid = useRef<GridHandle>(null)
  const { saved, note, activeId, setActiveId } = place
  const ids = useMemo(() => threads.map(getThreadId), [threads])
  const columns = useMemo(() => toThreadColumns(scoreKeys), [scoreKeys])

  const toLocation = (threadId: string) =>
    ({ to: '/o/$tenant/projects/p/$projectId/threads/$threadId', params: { tenant, projectId, threadId } }) as const
  const openTab = (id: string) => window.open(router.buildLocation(toLocation(id)).href, '_blank', 'noopener')
  function activate(id: string) {
    setActiveId(id)
    note({ activeId: id })
  }
  function open(id: string) {
    activate(id)
    void router.navigate(toLocation(id))
  }
  function clickRow({ thread_id }: ThreadSummary, event: MouseEvent) {
    if (event.ctrlKey || event.metaKey) openTab(thread_id)
    else open(thread_id)
  }
  useGridKeys({ grid, ids, activeId, onActive: activate, onOpen: open })
  useShortcuts('List', [
    { keys: 'o', label: 'Open the conversation', run: () => activeId !== undefined && open(activeId) },
    { keys: 'mod+enter', label: 'Open in a new browser tab', run: () => activeId !== undefined && openTab(activeId) },
  ])
  return (
    <DataGrid
      ref={grid}
      label="Threads"
      columns={columns}
      rows={threads}
      rowId={getThreadId}
      rowHeight={28}
      card={(thread) => <ThreadCard thread={thread} />}
      total={query.hasNextPage ? undefined : threads.length}
      activeId={activeId}
      onRowClick={clickRow}
      onNearEnd={() => query.hasNextPage && !query.isFetchingNextPage && void query.fetchNextPage()}
      initialOffset={saved?.offset}
      onScroll={(offset) => note({ offset })}
      footer={<ListEnd query={query} />}
    />
  )
}

function ListEnd({ query }: Pick<ThreadsTableProps, 'query'>) {
  if (query.isFetchNextPageError) {
    return (
      <ErrorState
        compact
        title="Could not load older threads"
        error={query.error}
        onRetry={() => void query.fetchNextPage()}
      />
    )
  }
  return (
    <p className="p-3 text-center text-meta text-fg-subtle">
      {query.hasNextPage ? 'Loading older threads…' : 'End of results'}
    </p>
  )
}

const getThreadId = (thread: ThreadSummary) => thread.thread_id

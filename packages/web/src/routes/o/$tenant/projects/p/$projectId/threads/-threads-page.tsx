import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import type { ThreadSummary } from '@touchstone/sdk'
import { type MouseEvent, useCallback, useMemo, useRef, useState } from 'react'
import { observedValuesQuery } from '#data/filter-values.ts'
import { toRunConditions } from '#data/runs.ts'
import { threadQuery } from '#data/threads.ts'
import { FilterBar } from '#domain/filter-bar/filter-bar.tsx'
import type { Suggest } from '#domain/filter-bar/suggestions.tsx'
import { formatCount, zoneLabel } from '#lib/format/format.ts'
import { toBounds } from '#lib/time/time-range.ts'
import { toFilterSearch } from '#lib/url/runs-search.ts'
import { type ThreadsSearch, toThreadsRequest } from '#lib/url/threads-search.ts'
import { Button } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { PaneBoundary } from '#ui/pane-boundary.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { TimeRangeMenu } from '#ui/time-range-menu.tsx'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import { useGridKeys } from '#ui/use-grid-keys.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import { ProjectFrame } from '../-project-frame.tsx'
import { NoThreads } from './-no-threads.tsx'
import { ThreadCard, threadColumns } from './-threads-columns.tsx'

export interface ThreadsPageProps {
  tenant: string
  projectId: string
  search: ThreadsSearch
}

/** The conversations of a project, the latest active first. */
export function ThreadsPage({ tenant, projectId, search }: ThreadsPageProps) {
  const navigate = useNavigate({ from: '/o/$tenant/projects/p/$projectId/threads/' })
  const router = useRouter()
  const queryClient = useQueryClient()
  const view = useMemo(() => toThreadsRequest(projectId, search), [projectId, search])
  const bounds = useMemo(() => toBounds(view.t, Date.now()), [view.t])
  const suggest = useCallback<Suggest>(
    (ask, filters) => observedValuesQuery(toRunConditions({ projectId, scope: 'traces', filters }, bounds), ask),
    [projectId, bounds],
  )
  const list = useInfiniteQuery({ ...threadQuery.list(view), placeholderData: keepPreviousData })
  const grid = useRef<GridHandle>(null)
  const { recall, note } = useEntryMemory<{ offset: number; activeId: string }>(`threads:${projectId}`)
  const [left] = useState(recall)
  const [activeId, setActiveId] = useState(left?.activeId)
  const [menu, setMenu] = useState(false)
  const threads = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data])
  const ids = useMemo(() => threads.map(idOf), [threads])

  const change = (part: Partial<ThreadsSearch>) => navigate({ search: (kept) => ({ ...kept, ...part }) })
  const place = (threadId: string) =>
    ({ to: '/o/$tenant/projects/p/$projectId/threads/$threadId', params: { tenant, projectId, threadId } }) as const
  const openTab = (id: string) => window.open(router.buildLocation(place(id)).href, '_blank', 'noopener')
  function setActive(id: string) {
    setActiveId(id)
    note({ activeId: id })
  }
  function open(id: string) {
    setActive(id)
    void navigate(place(id))
  }
  function clickRow(thread: ThreadSummary, event: MouseEvent) {
    if (event.ctrlKey || event.metaKey) openTab(thread.thread_id)
    else open(thread.thread_id)
  }
  function reload() {
    void queryClient.resetQueries({ queryKey: threadQuery.list(view).queryKey })
  }
  useGridKeys({ grid, ids, activeId, onActive: setActive, onOpen: open })
  useShortcuts('List', [
    { keys: 'o', label: 'Open the conversation', run: () => activeId !== undefined && open(activeId) },
    {
      keys: 'mod+enter',
      label: 'Open in a new browser tab',
      run: () => activeId !== undefined && openTab(activeId),
    },
    { keys: 't', label: 'Time range', run: () => setMenu(true) },
    { keys: 'shift+r', label: 'Read the list again', run: reload },
  ])

  return (
    <ProjectFrame
      tenant={tenant}
      projectId={projectId}
      tab="threads"
      toolbar={
        <>
          <TimeRangeMenu value={search.t} onChange={(t) => void change({ t })} open={menu} onOpenChange={setMenu} />
          <Button
            aria-pressed={search.errors ?? false}
            onClick={() => void change({ errors: search.errors ? undefined : true })}
            className="aria-pressed:border-accent aria-pressed:bg-selected"
          >
            With failed turns
          </Button>
        </>
      }
      status={
        <>
          <span role="status">
            {list.isSuccess &&
              `${formatCount(threads.length)}${list.hasNextPage ? '+' : ''} ${threads.length === 1 ? 'thread' : 'threads'}`}
          </span>
          <span className="ml-auto hidden sm:inline">latest activity first</span>
          <span className="hidden sm:inline">{zoneLabel('local')}</span>
          <button type="button" className="text-accent hover:underline" onClick={reload}>
            Read again
          </button>
        </>
      }
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <FilterBar
          filters={view.filters}
          onChange={(filters) => void change(toFilterSearch(filters))}
          suggest={suggest}
        />
        <div className="flex min-h-0 min-w-0 flex-1">
          <PaneBoundary title="The list could not be drawn">{body()}</PaneBoundary>
        </div>
      </div>
    </ProjectFrame>
  )

  function body() {
    if (list.isPending) {
      return (
        <div className="min-w-0 flex-1">
          <SkeletonRows rows={20} label="Loading threads" />
        </div>
      )
    }
    if (list.isError && threads.length === 0) {
      return (
        <div className="flex-1">
          <ErrorState title="Could not load the threads" error={list.error} onRetry={() => void list.refetch()} />
        </div>
      )
    }
    if (threads.length === 0)
      return <NoThreads tenant={tenant} projectId={projectId} search={search} onChange={(part) => void change(part)} />
    return (
      <DataGrid
        ref={grid}
        label="Threads"
        columns={threadColumns}
        rows={threads}
        rowId={idOf}
        rowHeight={28}
        card={(thread) => <ThreadCard thread={thread} />}
        total={list.hasNextPage ? undefined : threads.length}
        activeId={activeId}
        onRowClick={clickRow}
        onNearEnd={() => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()}
        initialOffset={left?.offset}
        onScroll={(offset) => note({ offset })}
        footer={listEnd()}
      />
    )
  }

  function listEnd() {
    if (list.isFetchNextPageError) {
      return (
        <ErrorState
          compact
          title="Older threads could not be loaded"
          error={list.error}
          onRetry={() => void list.fetchNextPage()}
        />
      )
    }
    return (
      <p className="p-3 text-center text-meta text-fg-subtle">
        {list.hasNextPage ? 'Loading older threads…' : 'These are all threads of this time range.'}
      </p>
    )
  }
}

const idOf = (thread: ThreadSummary) => thread.thread_id

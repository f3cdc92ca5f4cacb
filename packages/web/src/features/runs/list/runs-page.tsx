import { useQuery } from '@tanstack/react-query'
import { type RefObject, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { FilterBar } from '#features/filter/filter-bar.tsx'
import { observedValuesQuery } from '#features/filter/queries.ts'
import type { Suggest } from '#features/filter/suggestions.tsx'
import { ProjectFrame, useProject } from '#features/projects/project-frame.tsx'
import type { Filters } from '#lib/filter/chips.ts'
import { type RunsSearch, toFilterSearch } from '#lib/page-search.ts'
import { densityPreference } from '#lib/preferences.ts'
import { findNeighbors } from '#lib/row-selection.ts'
import type { Bounds } from '#lib/time/time-range.ts'
import type { GridHandle } from '#ui/data-grid.tsx'
import { usePreload } from '#ui/first-page.ts'
import { useElementWidth, usePreference } from '#ui/hooks.tsx'
import { lazyExtra, lazyPart, onApproach } from '#ui/lazy.tsx'
import { PaneBoundary } from '#ui/states.tsx'
import { type RunsView, toRunConditions } from '../queries.ts'
import { runStatsQuery, STATS_LIVE_MS } from '../stats-queries.ts'
import { useListColumns } from './columns/use-list-columns.ts'
import { type RunActions, useRunActions, useRunsShortcuts } from './runs-actions.ts'
import { getColumnLabel } from './runs-columns.tsx'
import { RunsList } from './runs-list.tsx'
import { RunsOverTime } from './runs-over-time.tsx'
import { RunsStatus } from './runs-status.tsx'
import { RunsToolbar, type ToolbarMenu } from './runs-toolbar.tsx'
import { type RunList, type Runs, useRuns } from './use-runs.tsx'
import { toRunsView } from './views/runs-view.ts'

const RunPeek = lazyPart(async () => {
  const { preloadPeek, RunPeek } = await import('../panel/run-peek.tsx')
  preloadPeek()
  return RunPeek
})
const RunsBulkBar = lazyExtra(() => import('./runs-bulk-bar.tsx').then((module) => module.RunsBulkBar))
const RunsFacets = lazyExtra(() => import('./runs-facets.tsx').then((module) => module.RunsFacets))

export interface RunsPageProps {
  tenant: string
  projectId: string
  search: RunsSearch
}

const NO_BOUNDS: Bounds = {}

/** The runs of a project: filter them, preview them beside the list, open them. */
export function RunsPage({ tenant, projectId, search }: RunsPageProps) {
  const { data: project } = useProject(projectId)
  const view = useMemo(() => toRunsView(projectId, search), [projectId, search])
  const runs = useRuns(view, search.live === 'on')
  const { list, live } = runs
  const grid = useRef<GridHandle>(null)
  const actions = useRunActions({ tenant, view, search, runs, grid })
  const [menu, setMenu] = useState<ToolbarMenu>()
  const [density, setDensity] = usePreference(densityPreference)
  useRunsShortcuts({ runs, actions, search, onMenu: setMenu })
  useScrollToTop(grid, view)
  usePreload(preloadRowActions)
  usePreloadedPeek(runs.selection.activeId)
  const overTime = useRunsOverTime(view, list, live.isOn)
  const { count, futureCount } = (overTime.isPlaceholderData ? undefined : overTime.data) ?? {}
  const [listBox, listWidth] = useElementWidth<HTMLDivElement>()
  const { columns, maxWidth } = useListColumns(search, list.rows, listWidth)
  const suggest = useCallback<Suggest>(
    (ask, filters) => observedValuesQuery(toRunConditions({ ...view, filters }, list.bounds), ask),
    [view, list.bounds],
  )
  const setFilters = (filters: Filters) => actions.change({ ...toFilterSearch(filters), peek: undefined })

  return (
    <ProjectFrame
      tenant={tenant}
      projectId={projectId}
      tab="runs"
      toolbar={
        <RunsToolbar
          view={view}
          search={search}
          rows={list.rows}
          live={live}
          actions={actions}
          menu={menu}
          onMenu={setMenu}
          density={density}
          onDensity={setDensity}
        />
      }
      status={
        <RunsStatus
          list={list}
          live={live}
          count={count}
          futureCount={futureCount}
          sort={search.sort}
          hiddenColumns={columns.hiddenIds.map(getColumnLabel)}
          onReload={() => void actions.reload()}
        />
      }
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <FilterBar filters={view.filters} onChange={setFilters} suggest={suggest} />
        <RunsOverTime
          label={search.scope === 'traces' ? 'Traces' : 'Runs'}
          figures={overTime}
          onRange={(t) => actions.change({ t })}
        />
        <div className="relative flex min-h-0 min-w-0 flex-1">
          {search.facets && (
            <Suspense>
              <RunsFacets view={view} bounds={list.bounds ?? NO_BOUNDS} isLive={live.isOn} onFilters={setFilters} />
            </Suspense>
          )}
          <div ref={listBox} className="flex min-h-0 min-w-0 flex-1 flex-col" {...onApproach(preloadRowActions)}>
            <PaneBoundary title="Could not show the list">
              <RunsList
                gridRef={grid}
                tenant={tenant}
                project={{ id: projectId, name: project?.name }}
                search={search}
                runs={runs}
                actions={actions}
                density={density}
                columns={columns}
                maxWidth={maxWidth}
              />
            </PaneBoundary>
            {runs.selection.selectedIds.size > 0 && (
              <Suspense>
                <RunsBulkBar tenant={tenant} view={view} runs={runs} onClear={actions.clearSelection} count={count} />
              </Suspense>
            )}
          </div>
        </div>
      </div>
      <Peek tenant={tenant} projectId={projectId} search={search} runs={runs} actions={actions} grid={grid} />
    </ProjectFrame>
  )
}

interface PeekProps extends RunsPageProps {
  runs: Runs
  actions: RunActions
  grid: RefObject<GridHandle | null>
}

function Peek({ tenant, projectId, search: { peek, tab }, runs, actions, grid }: PeekProps) {
  const setTraceId = useRowOfPeek(peek, runs, grid)
  if (peek === undefined) return null
  const { list, selection } = runs
  // The panel may show another run of the trace than the one that is listed.
  const listedId = list.ids.includes(peek) ? peek : selection.activeId
  return (
    <PaneBoundary title="Could not show this run">
      <Suspense>
        <RunPeek
          tenant={tenant}
          projectId={projectId}
          runId={peek}
          traceId={list.rows.find(({ id }) => id === peek)?.trace_id}
          onTrace={setTraceId}
          onSelect={(id) => actions.change({ peek: id }, 'replace')}
          tab={tab}
          onTab={(next) => actions.change({ tab: next }, 'replace')}
          onClose={actions.closePeek}
          neighbors={findNeighbors(list.ids, listedId ?? peek)}
          onMove={actions.move}
        />
      </Suspense>
    </PaneBoundary>
  )
}

/**
 * Marks the row of a preview that was opened by its address, and scrolls to it: the run or, in a list of traces, its trace.
 *
 * @returns sets the trace of the run, once it is known
 */
function useRowOfPeek(peek: string | undefined, { list, selection }: Runs, grid: RefObject<GridHandle | null>) {
  const [traceId, setTraceId] = useState<string>()
  const { activeId, activate } = selection
  const isOpenedByAddress = peek !== undefined && activeId === undefined
  const rowId = isOpenedByAddress ? [peek, traceId].find((id) => id !== undefined && list.ids.includes(id)) : undefined
  // A row that is only found further down must not move the list under the user.
  const isFirstPage = list.query.data?.pages.length === 1
  useEffect(() => {
    if (rowId === undefined) return
    activate(rowId)
    if (isFirstPage) grid.current?.revealRow(rowId)
  }, [rowId, isFirstPage, activate, grid])
  return setTraceId
}

function useRunsOverTime(view: RunsView, list: RunList, isLive: boolean) {
  return useQuery({
    ...runStatsQuery.histogram(view, list.bounds ?? NO_BOUNDS),
    enabled: list.bounds !== undefined && !list.isStale,
    refetchInterval: isLive && STATS_LIVE_MS,
  })
}

/** Scrolls to the top when the list shows other runs, but not when only its columns change. */
function useScrollToTop(grid: RefObject<GridHandle | null>, view: RunsView) {
  const key = JSON.stringify([view.scope, view.t, view.filters, view.order])
  const shownKey = useRef(key)
  useEffect(() => {
    if (shownKey.current !== key) grid.current?.scrollToTop()
    shownKey.current = key
  }, [grid, key])
}

/** Loads the code of the preview when the keyboard comes to a row. */
function usePreloadedPeek(activeId: string | undefined) {
  useEffect(() => {
    if (activeId !== undefined) preloadRowActions()
  }, [activeId])
}

/** Loads the code of what a click on a row opens. */
function preloadRowActions() {
  void RunPeek.preload()
  void RunsBulkBar.preload()
}

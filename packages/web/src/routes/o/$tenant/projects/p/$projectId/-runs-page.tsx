import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { observedValuesQuery } from '#data/filter-values.ts'
import { runStatsQuery, STATS_LIVE_MS } from '#data/run-stats.ts'
import { type RunsView, toRunConditions } from '#data/runs.ts'
import { FilterBar } from '#domain/filter-bar/filter-bar.tsx'
import type { Suggest } from '#domain/filter-bar/suggestions.tsx'
import type { Filters } from '#lib/filter/chips.ts'
import { type RunsSearch, toFilterSearch } from '#lib/page-search.ts'
import { densityPreference } from '#lib/preferences.ts'
import type { Bounds } from '#lib/time/time-range.ts'
import type { GridHandle } from '#ui/data-grid.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { PaneBoundary } from '#ui/states.tsx'
import { findNeighbors } from '../../../../../../lib/row-selection.ts'
import { ProjectFrame, useProject } from './-project-frame.tsx'
import { preloadPeek, RunPeek } from './-run-peek.tsx'
import { type RunActions, useRunActions, useRunsShortcuts } from './-runs-actions.ts'
import { RunsBulkBar } from './-runs-bulk-bar.tsx'
import { RunsFacets } from './-runs-facets.tsx'
import { RunsList } from './-runs-list.tsx'
import { RunsOverTime } from './-runs-over-time.tsx'
import { RunsStatus } from './-runs-status.tsx'
import { RunsToolbar, type ToolbarMenu } from './-runs-toolbar.tsx'
import { toRunsView } from './-runs-view.ts'
import { type RunList, useRuns } from './-use-runs.tsx'

export interface RunsPageProps {
  tenant: string
  projectId: string
  search: RunsSearch
}

const NO_BOUNDS: Bounds = {}
/** The preview is preloaded after the list has had time to draw. */
const PRELOAD_AFTER_MS = 500

/** The runs of a project: filter them, preview them beside the list, open them. */
export function RunsPage({ tenant, projectId, search }: RunsPageProps) {
  const { data: project } = useProject(projectId)
  const view = useMemo(() => toRunsView(projectId, search), [projectId, search])
  const runs = useRuns(view, search.sort, search.live === 'on')
  const { list, live } = runs
  const grid = useRef<GridHandle>(null)
  const actions = useRunActions({ tenant, view, search, runs, grid })
  const [menu, setMenu] = useState<ToolbarMenu>()
  const [density, setDensity] = usePreference(densityPreference)
  useRunsShortcuts({ runs, actions, search, onMenu: setMenu })
  useScrollToTop(grid, view)
  usePreloadedPeek(list.rows.length > 0)
  const overTime = useRunsOverTime(view, list, live.isOn)
  const count = overTime.isPlaceholderData ? undefined : overTime.data?.count
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
          actions={actions}
          menu={menu}
          onMenu={setMenu}
          density={density}
          onDensity={setDensity}
        />
      }
      status={
        <RunsStatus list={list} live={live} count={count} sort={search.sort} onReload={() => void actions.reload()} />
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
            <RunsFacets view={view} bounds={list.bounds ?? NO_BOUNDS} isLive={live.isOn} onFilters={setFilters} />
          )}
          <div className="flex min-h-0 min-w-0 flex-1 flex-col">
            <PaneBoundary title="Could not show the list">
              <RunsList
                gridRef={grid}
                tenant={tenant}
                project={{ id: projectId, name: project?.name }}
                search={search}
                runs={runs}
                actions={actions}
                density={density}
              />
            </PaneBoundary>
            <RunsBulkBar tenant={tenant} view={view} runs={runs} onClear={actions.clearSelection} count={count} />
          </div>
        </div>
      </div>
      <Peek tenant={tenant} projectId={projectId} search={search} ids={list.ids} actions={actions} />
    </ProjectFrame>
  )
}

interface PeekProps extends RunsPageProps {
  ids: readonly string[]
  actions: RunActions
}

function Peek({ tenant, projectId, search: { peek, tab }, ids, actions }: PeekProps) {
  if (peek === undefined) return null
  return (
    <RunPeek
      tenant={tenant}
      projectId={projectId}
      runId={peek}
      tab={tab}
      onTab={(next) => actions.change({ tab: next }, 'replace')}
      onClose={actions.closePeek}
      neighbors={findNeighbors(ids, peek)}
      onMove={actions.move}
    />
  )
}

function useRunsOverTime(view: RunsView, list: RunList, isLive: boolean) {
  return useQuery({
    ...runStatsQuery.histogram(view, list.bounds ?? NO_BOUNDS),
    enabled: list.bounds !== undefined && !list.isStale,
    refetchInterval: isLive && STATS_LIVE_MS,
  })
}

/** Scrolls to the top when the list shows other runs, but not when only its columns change. */
function useScrollToTop(grid: React.RefObject<GridHandle | null>, view: RunsView) {
  const key = JSON.stringify([view.scope, view.t, view.filters, view.order])
  const shownKey = useRef(key)
  useEffect(() => {
    if (shownKey.current !== key) grid.current?.scrollToTop()
    shownKey.current = key
  }, [grid, key])
}

function usePreloadedPeek(hasRows: boolean) {
  useEffect(() => {
    if (!hasRows) return
    const timer = setTimeout(preloadPeek, PRELOAD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [hasRows])
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import type { Run } from '@touchstone/sdk'
import { type MouseEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { observedValuesQuery } from '#data/filter-values.ts'
import { FIGURES_LIVE_MS, runFigures } from '#data/run-figures.ts'
import { conditionsOf, reloadRuns } from '#data/runs.ts'
import { useCompareMark } from '#domain/compare-view/use-compare-mark.ts'
import { FilterBar } from '#domain/filter-bar/filter-bar.tsx'
import type { Suggest } from '#domain/filter-bar/use-observed.tsx'
import type { Filters } from '#lib/filter/chips.ts'
import { densityPreference } from '#lib/preferences/preferences.ts'
import type { Bounds } from '#lib/time/time-range.ts'
import { type RunsSearch, searchOf } from '#lib/url/runs-search.ts'
import { copyText } from '#ui/copy-button.tsx'
import type { GridHandle } from '#ui/data-grid.tsx'
import { PaneBoundary } from '#ui/pane-boundary.tsx'
import { toast } from '#ui/toast.tsx'
import { NARROW, useMedia } from '#ui/use-media.tsx'
import { usePreference } from '#ui/use-preference.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import { ProjectFrame } from './-project-frame.tsx'
import { preloadPeek, RunPeek } from './-run-peek.tsx'
import { RunsBulkBar } from './-runs-bulk-bar.tsx'
import { RunsFacets } from './-runs-facets.tsx'
import { RunsList } from './-runs-list.tsx'
import { RunsOverTime } from './-runs-over-time.tsx'
import { RunsStatus } from './-runs-status.tsx'
import { RunsToolbar, type ToolbarMenu } from './-runs-toolbar.tsx'
import { viewOf } from './-runs-view.ts'
import { useProject } from './-use-project.tsx'
import { useRuns } from './-use-runs.tsx'

export interface RunsPageProps {
  tenant: string
  projectId: string
  search: RunsSearch
}

const NO_BOUNDS: Bounds = {}
/** The list has the first word. */
const PRELOAD_AFTER_MS = 500

/** The runs of a project: find those that matter, look at them beside the list, open them. */
export function RunsPage({ tenant, projectId, search }: RunsPageProps) {
  const queryClient = useQueryClient()
  const router = useRouter()
  const navigate = useNavigate({ from: '/o/$tenant/projects/p/$projectId/' })
  const isNarrow = useMedia(NARROW)
  const [wantsSelection, setWantsSelection] = useState(false)
  const { data: project } = useProject(projectId)
  const view = useMemo(() => viewOf(projectId, search), [projectId, search])
  const runs = useRuns(view, search.sort, search.live === 'on')
  const suggest = useCallback<Suggest>(
    (ask, filters) => observedValuesQuery(conditionsOf({ ...view, filters }, runs.bounds), ask),
    [view, runs.bounds],
  )
  const grid = useRef<GridHandle>(null)
  // Other runs are read from their beginning; other columns of the same runs are not.
  const runsKey = JSON.stringify([view.scope, view.t, view.filters, view.order])
  const shownKey = useRef(runsKey)
  useEffect(() => {
    if (shownKey.current !== runsKey) grid.current?.scrollToTop()
    shownKey.current = runsKey
  }, [runsKey])
  const hasRows = runs.rows.length > 0
  useEffect(() => {
    if (!hasRows) return
    const timer = setTimeout(preloadPeek, PRELOAD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [hasRows])
  const overTime = useQuery({
    ...runFigures.histogram(view, runs.bounds ?? NO_BOUNDS),
    enabled: runs.bounds !== undefined && !runs.isStale,
    refetchInterval: runs.isLive && FIGURES_LIVE_MS,
  })
  const markForCompare = useCompareMark()
  const [menu, setMenu] = useState<ToolbarMenu>()
  const [density, setDensity] = usePreference(densityPreference)

  /** Deliberate changes of the view are steps that Back undoes; walking and arranging are not. */
  const change = useCallback(
    (part: Partial<RunsSearch>, how: 'push' | 'replace' = 'push') =>
      navigate({ search: (kept) => ({ ...kept, ...part }), replace: how === 'replace' }),
    [navigate],
  )
  const setFilters = (filters: Filters) => void change({ ...searchOf(filters), peek: undefined })
  const runLocation = (id: string) =>
    ({ to: '/o/$tenant/projects/p/$projectId/r/$runId', params: { tenant, projectId, runId: id } }) as const
  const openPage = (id: string) => navigate(runLocation(id))
  const openTab = (id: string) => window.open(router.buildLocation(runLocation(id)).href, '_blank', 'noopener')

  // Cards have no boxes to tick until one wants to select, or has begun to.
  const isSelecting = isNarrow && (wantsSelection || runs.selected.size > 0)
  function clearSelection() {
    setWantsSelection(false)
    runs.clearSelection()
  }

  function peek(id: string) {
    runs.setActive(id)
    if (isNarrow) void openPage(id)
    else void change({ peek: id }, search.peek === undefined ? 'push' : 'replace')
  }
  function closePeek() {
    void change({ peek: undefined, tab: undefined })
    if (runs.activeId !== undefined) grid.current?.focusRow(runs.activeId)
  }
  function clickRow(run: Run, event: MouseEvent) {
    if (event.target instanceof Element && event.target.closest('input, button, a')) return
    if (isSelecting) runs.toggleSelected(run.id)
    else if (event.ctrlKey || event.metaKey) openTab(run.id)
    else if (event.shiftKey) runs.selectRange(run.id)
    else peek(run.id)
  }
  function setActive(id: string) {
    runs.setActive(id)
    if (search.peek !== undefined && search.peek !== id) void change({ peek: id }, 'replace')
  }
  async function reload() {
    await reloadRuns(queryClient, view).catch((cause) => toast.failure('The list could not be read again.', cause))
    grid.current?.scrollToTop()
  }
  const onActive = (act: (id: string) => unknown) => () => runs.activeId !== undefined && act(runs.activeId)

  useShortcuts('List', [
    {
      keys: 'space',
      label: 'Peek, or close the peek',
      run: () => (search.peek === undefined ? onActive(peek)() : closePeek()),
    },
    { keys: 'o', label: 'Open the full page', run: onActive(openPage) },
    { keys: 'mod+enter', label: 'Open in a new browser tab', run: onActive(openTab) },
    { keys: 'x', label: 'Select', run: onActive(runs.toggleSelected) },
    { keys: 'shift+x', label: 'Select up to here', run: onActive(runs.selectRange) },
    { keys: 'mod+a', label: 'Select all loaded', run: runs.selectAll },
    {
      keys: 'y',
      label: 'Copy the link',
      run: () => {
        const id = search.peek ?? runs.activeId
        const link = id === undefined ? location.href : location.origin + router.buildLocation(runLocation(id)).href
        void copyText(link).then((isCopied) => isCopied && toast.done('Link copied'))
      },
    },
    {
      keys: 'm',
      label: 'Mark for compare, then compare',
      run: onActive((id) => {
        const run = runs.rows.find((one) => one.id === id)
        if (run) markForCompare({ id, name: run.name })
      }),
    },
    { keys: 't', label: 'Time range', run: () => setMenu('time') },
    {
      keys: 'shift+f',
      label: 'Facets on or off',
      run: () => void change({ facets: search.facets ? undefined : true }, 'replace'),
    },
    { keys: 'v', label: 'Saved views', run: () => setMenu('views') },
    { keys: 'c', label: 'Columns', run: () => setMenu('columns') },
    {
      keys: 'l',
      label: 'Live on or off',
      run: () => void change({ live: search.live === 'on' ? 'off' : 'on' }, 'replace'),
    },
    { keys: 'shift+r', label: 'Read the list again', run: () => void reload() },
    {
      keys: 'escape',
      label: 'Close the peek, or clear the selection',
      run: () => (search.peek === undefined ? clearSelection() : closePeek()),
    },
  ])

  return (
    <ProjectFrame
      tenant={tenant}
      projectId={projectId}
      tab="runs"
      toolbar={
        <RunsToolbar
          view={view}
          search={search}
          onChange={change}
          menu={menu}
          onMenu={setMenu}
          density={density}
          onDensity={setDensity}
          isSelecting={isSelecting}
          onSelecting={(wanted) => (wanted ? setWantsSelection(true) : clearSelection())}
        />
      }
      status={
        <RunsStatus
          runs={runs}
          count={overTime.isPlaceholderData ? undefined : overTime.data?.count}
          sort={search.sort}
          onReload={() => void reload()}
        />
      }
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <FilterBar filters={view.filters} onChange={setFilters} suggest={suggest} />
        <RunsOverTime
          label={search.scope === 'traces' ? 'Traces' : 'Runs'}
          figures={overTime}
          onRange={(t) => void change({ t })}
        />
        <div className="relative flex min-h-0 min-w-0 flex-1">
          {search.facets && (
            <RunsFacets view={view} bounds={runs.bounds ?? NO_BOUNDS} isLive={runs.isLive} onFilters={setFilters} />
          )}
          <div className="flex min-h-0 min-w-0 flex-1 flex-col">
            <PaneBoundary title="The list could not be drawn">
              <RunsList
                gridRef={grid}
                tenant={tenant}
                project={{ id: projectId, name: project?.name }}
                search={search}
                runs={runs}
                density={density}
                onRowClick={clickRow}
                onRowDoubleClick={(run) => void openPage(run.id)}
                onActive={setActive}
                onOpen={(id) => peek(id)}
                onChange={change}
                onReload={() => void reload()}
                isSelecting={isSelecting}
                onLongPress={(id) => isNarrow && runs.toggleSelected(id)}
              />
            </PaneBoundary>
            <RunsBulkBar
              tenant={tenant}
              view={view}
              runs={runs}
              onClear={clearSelection}
              count={overTime.isPlaceholderData ? undefined : overTime.data?.count}
            />
          </div>
        </div>
      </div>
      {search.peek !== undefined && (
        <RunPeek
          tenant={tenant}
          projectId={projectId}
          runId={search.peek}
          tab={search.tab}
          onTab={(tab) => void change({ tab }, 'replace')}
          onClose={closePeek}
          neighbours={runs.neighboursOf(search.peek)}
          onMove={(id) => {
            setActive(id)
            grid.current?.focusRow(id)
          }}
        />
      )}
    </ProjectFrame>
  )
}

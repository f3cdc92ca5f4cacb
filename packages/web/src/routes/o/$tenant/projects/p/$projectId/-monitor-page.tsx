import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { observedValuesQuery } from '#data/filter-values.ts'
import { monitorQuery } from '#data/monitor.ts'
import { conditionsOf } from '#data/runs.ts'
import { FilterBar } from '#domain/filter-bar/filter-bar.tsx'
import type { Suggest } from '#domain/filter-bar/use-observed.tsx'
import { ChartCard } from '#domain/monitor/chart-card.tsx'
import { type ChartScene, Scene } from '#domain/monitor/chart-scene.ts'
import { useTheme } from '#domain/trace-view/use-theme.ts'
import { formatAbsoluteTime, zoneLabel } from '#lib/fmt.ts'
import { defaultCharts } from '#lib/monitor/metrics.ts'
import { groupingOf, type MonitorSearch } from '#lib/monitor-search.ts'
import { filtersOf, searchOf } from '#lib/runs-search.ts'
import { printTimeRange } from '#lib/time-range.ts'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import { type MonitorMenu, MonitorToolbar } from './-monitor-toolbar.tsx'
import { ProjectFrame } from './-project-frame.tsx'

export interface MonitorPageProps {
  tenant: string
  projectId: string
  search: MonitorSearch
}

const MOST_FEEDBACK_CHARTS = 6
const NO_KEYS: readonly string[] = []

/** How a project does over time; every mark leads to exactly the runs behind it. */
export function MonitorPage({ tenant, projectId, search }: MonitorPageProps) {
  const navigate = useNavigate({ from: '/o/$tenant/projects/p/$projectId/monitor' })
  const queryClient = useQueryClient()
  const theme = useTheme()
  const [menu, setMenu] = useState<MonitorMenu>()
  const { data: window } = useQuery(monitorQuery.window(projectId, search.t))
  const { filter, traceFilter, treeFilter } = search
  const filters = useMemo(() => filtersOf({ filter, traceFilter, treeFilter }), [filter, traceFilter, treeFilter])
  const runs = useMemo(() => ({ projectId, scope: search.scope, filters }), [projectId, search.scope, filters])
  const group = useMemo(() => groupingOf(search.group), [search.group])
  const keys = useQuery(monitorQuery.feedbackKeys(runs, window.bounds))
  const feedbackKeys = useMemo(() => keys.data?.slice(0, MOST_FEEDBACK_CHARTS) ?? NO_KEYS, [keys.data])
  const charts = useMemo(() => defaultCharts(feedbackKeys, search.scope), [feedbackKeys, search.scope])
  const tables = new Set(search.tables?.split(','))

  const change = useCallback(
    (part: Partial<MonitorSearch>, how: 'push' | 'replace' = 'push') =>
      void navigate({ search: (kept) => ({ ...kept, ...part }), replace: how === 'replace' }),
    [navigate],
  )
  const suggest = useCallback<Suggest>(
    (ask, filters) => observedValuesQuery(conditionsOf({ ...runs, filters }, window.bounds), ask),
    [runs, window.bounds],
  )
  const scene = useMemo<ChartScene>(
    () => ({
      tenant,
      projectId,
      filters,
      window,
      group,
      isCompared: search.prev === '1',
      feedbackKeys,
      theme,
      onZoom: (from, to) => change({ t: printTimeRange(isoOf(from), isoOf(to)) }),
    }),
    [tenant, projectId, filters, window, group, search.prev, feedbackKeys, theme, change],
  )
  function setTable(id: string, isTable: boolean) {
    const next = new Set(tables)
    if (isTable) next.add(id)
    else next.delete(id)
    change({ tables: [...next].join(',') || undefined }, 'replace')
  }
  function reload() {
    queryClient.removeQueries({ queryKey: monitorQuery.window(projectId, search.t).queryKey })
    void queryClient.invalidateQueries({ queryKey: ['monitor', projectId] })
  }
  useShortcuts('List', [
    { keys: 't', label: 'Time range', run: () => setMenu('time') },
    { keys: 'shift+r', label: 'Read the charts again', run: reload },
  ])

  return (
    <ProjectFrame
      tenant={tenant}
      projectId={projectId}
      tab="monitor"
      toolbar={
        <MonitorToolbar runs={runs} window={window} search={search} onChange={change} menu={menu} onMenu={setMenu} />
      }
      status={
        <>
          <span role="status">as of {formatAbsoluteTime(new Date(window.nowMs).toISOString())}</span>
          <span className="ml-auto hidden sm:inline">drag to zoom, click for runs</span>
          <span className="hidden sm:inline">{zoneLabel('local')}</span>
          <button type="button" className="text-accent hover:underline" onClick={reload}>
            Read again
          </button>
        </>
      }
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <FilterBar filters={filters} onChange={(next) => change(searchOf(next))} suggest={suggest} />
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label="Charts"
          data-pane="list"
          className="min-h-0 flex-1 overflow-y-auto p-3 outline-offset-[-2px]"
        >
          <Scene value={scene}>
            <div className="grid grid-cols-1 gap-3 lg:grid-cols-2 xl:grid-cols-3">
              {charts.map((chart) => (
                <ChartCard
                  key={chart.id}
                  chart={chart}
                  isTable={tables.has(chart.id)}
                  onTable={(isTable) => setTable(chart.id, isTable)}
                />
              ))}
            </div>
          </Scene>
        </section>
      </div>
    </ProjectFrame>
  )
}

const isoOf = (ms: number) => new Date(ms).toISOString()

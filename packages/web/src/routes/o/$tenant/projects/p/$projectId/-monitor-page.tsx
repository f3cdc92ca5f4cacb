import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { DashboardChart } from '@touchstone/contract'
import { Plus } from 'lucide-react'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { observedValuesQuery } from '#data/filter-values.ts'
import { useMay } from '#data/me.ts'
import { monitorQuery } from '#data/monitor.ts'
import { toRunConditions } from '#data/runs.ts'
import { FilterBar } from '#domain/filter-bar/filter-bar.tsx'
import type { Suggest } from '#domain/filter-bar/suggestions.tsx'
import { ChartContext, type ChartContextValue } from '#domain/monitor/chart-context.tsx'
import { formatAbsoluteTime, zoneLabel } from '#lib/format/format.ts'
import { putChart } from '#lib/monitor/board.ts'
import { defaultCharts } from '#lib/monitor/metrics.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { type MonitorSearch, parseGrouping } from '#lib/url/monitor-search.ts'
import { toFilterSearch, toFilters } from '#lib/url/runs-search.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { lazyExtra } from '#ui/lazy-extra.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { useShortcuts } from '#ui/use-shortcuts.tsx'
import { useTheme } from '#ui/use-theme.tsx'
import { type MonitorMenu, MonitorToolbar } from './-monitor-toolbar.tsx'
import { useDashboard } from './-use-dashboard.ts'

const ChartDialog = lazyExtra(() => import('./-chart-dialog.tsx').then((module) => module.ChartDialog))

import { Board } from './-board.tsx'
import { BoardMenu } from './-board-menu.tsx'
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
  const { data: window } = useQuery(monitorQuery.range(projectId, search.t))
  const { filter, traceFilter, treeFilter } = search
  const filters = useMemo(() => toFilters({ filter, traceFilter, treeFilter }), [filter, traceFilter, treeFilter])
  const runs = useMemo(() => ({ projectId, scope: search.scope, filters }), [projectId, search.scope, filters])
  const group = useMemo(() => parseGrouping(search.group), [search.group])
  const keys = useQuery(monitorQuery.feedbackKeys(runs, window.bounds))
  const open = useDashboard(search.board)
  const mayWrite = useMay('member')
  const [edited, setEdited] = useState<DashboardChart>()
  const common = useMemo(() => keys.data?.slice(0, MOST_FEEDBACK_CHARTS) ?? NO_KEYS, [keys.data])
  const asItComes = useMemo(() => defaultCharts(common, search.scope), [common, search.scope])
  const charts = search.board === undefined ? asItComes : open.charts
  const feedbackKeys = useMemo(() => keysOf(charts), [charts])
  const tables = new Set(search.tables?.split(','))

  const change = useCallback(
    (part: Partial<MonitorSearch>, how: 'push' | 'replace' = 'push') =>
      void navigate({ search: (kept) => ({ ...kept, ...part }), replace: how === 'replace' }),
    [navigate],
  )
  const suggest = useCallback<Suggest>(
    (ask, filters) => observedValuesQuery(toRunConditions({ ...runs, filters }, window.bounds), ask),
    [runs, window.bounds],
  )
  const scene = useMemo<ChartContextValue>(
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
  /** A relative range is counted anew, and with it everything is read; a fixed one is read again as it is. */
  async function reload() {
    const { queryKey } = monitorQuery.range(projectId, search.t)
    await queryClient.refetchQueries({ queryKey })
    if (queryClient.getQueryData(queryKey)?.bounds !== window.bounds) return
    await queryClient.invalidateQueries({ queryKey: monitorQuery.inProject(projectId) })
  }
  useShortcuts('List', [
    { keys: 't', label: 'Time range', run: () => setMenu('time') },
    { keys: 'shift+r', label: 'Read the charts again', run: () => void reload() },
  ])

  return (
    <ProjectFrame
      tenant={tenant}
      projectId={projectId}
      tab="monitor"
      toolbar={
        <>
          <BoardMenu
            projectId={projectId}
            open={open}
            charts={charts ?? []}
            onBoard={(board) => change({ board, tables: undefined })}
          />
          <MonitorToolbar runs={runs} window={window} search={search} onChange={change} menu={menu} onMenu={setMenu} />
          {open.dashboard && mayWrite && (
            <Button className="ml-auto" onClick={() => setEdited(newChart(search.scope))}>
              <Plus size={13} aria-hidden />
              Add chart
            </Button>
          )}
        </>
      }
      status={
        <>
          <span role="status">as of {formatAbsoluteTime(new Date(window.nowMs).toISOString())}</span>
          <span className="ml-auto hidden sm:inline">drag to zoom, click for runs</span>
          <span className="hidden sm:inline">{zoneLabel('local')}</span>
          <button type="button" className="text-accent hover:underline" onClick={() => void reload()}>
            Read again
          </button>
        </>
      }
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <FilterBar filters={filters} onChange={(next) => change(toFilterSearch(next))} suggest={suggest} />
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label="Charts"
          data-pane="list"
          className="min-h-0 flex-1 overflow-y-auto p-3 outline-offset-[-2px]"
        >
          <ChartContext value={scene}>{body()}</ChartContext>
        </section>
      </div>
      {edited && (
        <Suspense>
          <ChartDialog
            chart={edited}
            isNew={!charts?.some(({ id }) => id === edited.id)}
            feedbackKeys={keys.data ?? NO_KEYS}
            onSave={(chart) => open.save(putChart(charts ?? [], chart))}
            onClose={() => setEdited(undefined)}
          />
        </Suspense>
      )}
    </ProjectFrame>
  )

  function body() {
    if (open.read.isError && charts === undefined) {
      return (
        <ErrorState
          title="This dashboard could not be read"
          error={open.read.error}
          onRetry={() => void open.read.refetch()}
        />
      )
    }
    if (charts === undefined) return <SkeletonRows rows={8} label="Loading the dashboard" />
    if (charts.length === 0) return <EmptyState title="No charts yet">Add the first one above.</EmptyState>
    const isOurs = search.board !== undefined && mayWrite
    return (
      <Board
        charts={charts}
        tables={tables}
        onTable={setTable}
        editing={
          isOurs ? { onEdit: setEdited, onRemove: open.remove, onPreview: open.preview, onSave: open.save } : undefined
        }
      />
    )
  }
}

/** All keys of feedback that charts show, in an order that does not depend on theirs. */
function keysOf(charts: readonly DashboardChart[] | undefined): readonly string[] {
  const keys = charts?.flatMap(({ metric, feedback_key }) =>
    metric === 'feedback' && feedback_key ? [feedback_key] : [],
  )
  return [...new Set(keys)].sort()
}

/** Its id need only be new on its dashboard; what makes better ones is not there on a page without TLS. */
function newChart(scope: DashboardChart['scope']): DashboardChart {
  const id = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`
  return { id, metric: 'latency', scope, kind: 'line', size: 'small' }
}

const isoOf = (ms: number) => new Date(ms).toISOString()

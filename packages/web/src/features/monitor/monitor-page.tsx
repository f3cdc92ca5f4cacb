import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { DashboardChart } from '@touchstone/contract'
import { Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { FilterBar } from '#features/filter/filter-bar.tsx'
import { ProjectFrame } from '#features/projects/project-frame.tsx'
import { formatAbsoluteTime, formatMinute, pluralize, zoneLabel } from '#lib/format.ts'
import { type MonitorSearch, toFilterSearch, toFilters } from '#lib/page-search.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { Button } from '#ui/button.tsx'
import { EditConflict } from '#ui/edit-conflict.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { ChartContext } from './charts/chart-context.tsx'
import { printChart } from './charts/chart-draft.ts'
import { ChartGrid } from './charts/chart-grid.tsx'
import { DashboardMenu } from './dashboards/dashboard-menu.tsx'
import { getPreviousPeriod } from './logic/chart.ts'
import { getChartLabel, putChart } from './logic/metrics.ts'
import { createChart, parseTables, toggleTable } from './monitor-controller.ts'
import { type MonitorMenu, MonitorToolbar } from './monitor-toolbar.tsx'
import { type ChartRange, type ChartRuns, monitorQuery } from './queries.ts'
import { type Monitor, useMonitor } from './use-monitor.ts'

const UnpricedNotice = lazyExtra(() =>
  import('#features/models/prices/unpriced-notice.tsx').then((module) => module.UnpricedNotice),
)
const ChartDialog = lazyExtra(() => import('./charts/chart-dialog.tsx').then((module) => module.ChartDialog))

export interface MonitorPageProps {
  tenant: string
  projectId: string
  search: MonitorSearch
}

/** Charts of a project over time. Each data point links to its runs. */
export function MonitorPage({ tenant, projectId, search }: MonitorPageProps) {
  const monitor = useMonitor(tenant, projectId, search)
  const { range, runs, filters, dashboard, charts, change, reload } = monitor
  const mayWrite = useMay('member')
  const [menu, setMenu] = useState<MonitorMenu>()
  const [edit, setEdit] = useState<{ chart: DashboardChart; base: readonly DashboardChart[] }>()
  // What others save while the dialog is open must not become the base of the edit.
  const setEditedChart = (chart: DashboardChart) => setEdit({ chart, base: charts ?? [] })
  useShortcuts('List', [
    { keys: 't', label: 'Time range', run: () => setMenu('time') },
    { keys: 'shift+r', label: 'Refresh charts', run: () => void reload() },
  ])
  return (
    <ProjectFrame
      tenant={tenant}
      projectId={projectId}
      tab="monitor"
      toolbar={
        <>
          <DashboardMenu
            projectId={projectId}
            open={dashboard}
            charts={charts ?? []}
            onBoard={(board) => change({ board, tables: undefined })}
          />
          <MonitorToolbar runs={runs} range={range} search={search} onChange={change} menu={menu} onMenu={setMenu} />
          {dashboard.dashboard && mayWrite && (
            <Button className="ml-auto" onClick={() => setEditedChart(createChart(search.scope))}>
              <Plus size={13} aria-hidden />
              Add chart
            </Button>
          )}
        </>
      }
      status={<MonitorStatus runs={runs} range={range} onReload={() => void reload()} />}
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <FilterBar filters={filters} onChange={(next) => change(toFilterSearch(next))} suggest={monitor.suggest} />
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label="Charts"
          data-pane="list"
          className="min-h-0 flex-1 overflow-y-auto p-3 outline-offset-[-2px]"
        >
          {mayWrite && (
            <Suspense>
              <UnpricedNotice tenant={tenant} projectId={projectId} />
            </Suspense>
          )}
          {dashboard.conflicts.length > 0 && (
            <div className="mb-3">
              <EditConflict
                what="this dashboard"
                fields={dashboard.conflicts.map(({ mine, theirs }) => ({
                  label: `Chart “${getChartLabel(mine ?? theirs ?? createChart(search.scope))}”`,
                  theirs: printChart(theirs),
                  mine: printChart(mine),
                }))}
                isEditable={false}
                onKeep={() => dashboard.choose('mine')}
                onTake={() => dashboard.choose('theirs')}
              />
            </div>
          )}
          <ChartContext value={monitor.context}>
            <Charts
              monitor={monitor}
              search={search}
              onEdit={mayWrite && search.board !== undefined ? setEditedChart : undefined}
            />
          </ChartContext>
        </section>
      </div>
      {edit && (
        <Suspense>
          <ChartDialog
            chart={edit.chart}
            isNew={!edit.base.some(({ id }) => id === edit.chart.id)}
            keptAs={`chart ${edit.base.some(({ id }) => id === edit.chart.id) ? edit.chart.id : 'new'} of ${search.board}`}
            feedbackKeys={monitor.knownFeedbackKeys}
            onSave={(chart) => dashboard.save(putChart(edit.base, chart), edit.base)}
            onClose={() => setEdit(undefined)}
          />
        </Suspense>
      )}
    </ProjectFrame>
  )
}

interface MonitorStatusProps {
  runs: ChartRuns
  range: ChartRange
  onReload: () => void
}

function MonitorStatus({ runs, range, onReload }: MonitorStatusProps) {
  // A range that the user has ended leaves out later runs anyway.
  const endsNow = range.bounds.to === new Date(range.nowMs).toISOString()
  const future = useQuery({ ...monitorQuery.future(runs, range), enabled: endsNow }).data ?? 0
  const period = getPreviousPeriod(range.bounds, range.nowMs)
  return (
    <>
      <span role="status">As of {formatAbsoluteTime(new Date(range.nowMs).toISOString(), 'local')}</span>
      {future > 0 && (
        <Link
          from="/o/$tenant/projects/p/$projectId/monitor"
          to="/o/$tenant/projects/p/$projectId"
          search={(search) => ({
            ...toFilterSearch(toFilters(search)),
            scope: search.scope,
            t: printTimeRange(new Date(range.nowMs + 1).toISOString(), undefined),
          })}
          className="text-warn hover:underline"
          title="The clock of a program is ahead. The charts end now; the list of runs shows these as well."
        >
          {pluralize(future, 'run')} in the future, in no chart
        </Link>
      )}
      {period?.bounds.from && (
        <span className="truncate max-sm:hidden">
          Changes compare with the previous period, from {formatMinute(period.bounds.from, 'local')}
        </span>
      )}
      <span className="ml-auto hidden sm:inline">Drag to zoom, click to see runs</span>
      <span className="hidden sm:inline">{zoneLabel('local')}</span>
      <button type="button" className="text-accent hover:underline" onClick={onReload}>
        Refresh
      </button>
    </>
  )
}

interface ChartsProps {
  monitor: Monitor
  search: MonitorSearch
  /** Opens the dialog of a chart; undefined when the charts are read-only. */
  onEdit: ((chart: DashboardChart) => void) | undefined
}

function Charts({ monitor: { dashboard, charts, change }, search, onEdit }: ChartsProps) {
  const { read, remove, preview, save } = dashboard
  if (read.isError && charts === undefined) {
    return <ErrorState title="Could not load this dashboard" error={read.error} onRetry={() => void read.refetch()} />
  }
  if (charts === undefined) return <SkeletonRows rows={8} label="Loading the dashboard" />
  if (charts.length === 0) {
    return (
      <EmptyState
        title="No charts yet"
        actions={
          onEdit && (
            <Button look="primary" onClick={() => onEdit(createChart(search.scope))}>
              Add chart
            </Button>
          )
        }
      >
        A chart shows one metric of the matching runs over time.
      </EmptyState>
    )
  }
  const tables = parseTables(search.tables)
  return (
    <ChartGrid
      charts={charts}
      tables={tables}
      onTable={(id, isTable) => change({ tables: toggleTable(tables, id, isTable) }, 'replace')}
      editing={onEdit && { onEdit, onRemove: remove, onPreview: preview, onSave: (next) => save(next) }}
    />
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Bucket, DashboardChart, RunGrouping } from '@touchstone/contract'
import { createContext, type ReactNode, use, useMemo } from 'react'
import type { Filters } from '#lib/filter/chips.ts'
import { addConditions, getPreviousPeriod, toChartData } from '../logic/chart.ts'
import { getMetric } from '../logic/metrics.ts'
import { type ChartRange, type ChartRuns, monitorQuery, type SeriesOptions } from '../queries.ts'

/** Settings shared by all charts of a page. */
export interface ChartContextValue {
  tenant: string
  projectId: string
  /** Filters of the page; each chart adds its own. */
  filters: Filters
  window: ChartRange
  /** Used by charts without their own grouping. */
  group: RunGrouping | undefined
  /** Whether the previous period is drawn too. */
  isCompared: boolean
  /** Feedback keys whose averages are loaded with one request for all charts. */
  feedbackKeys: readonly string[]
  /**
   * What the charts of the page need of the previous period. They ask for the same, so that it is read once; undefined
   * while it is not known yet.
   */
  ofPrevious: Pick<SeriesOptions, 'feedbackKeys' | 'distinct'> | undefined
  theme: string
  onZoom: (from: number, to: number) => void
}

export const ChartContext = createContext<ChartContextValue | undefined>(undefined)

export function useChartContext(): ChartContextValue {
  const context = use(ChartContext)
  if (!context) throw new Error('useChartContext needs a ChartContext above it.')
  return context
}

interface RunsLinkProps {
  runs: ChartRuns
  /** Time range in the form used in URLs. */
  t: string
  /** Conditions in addition to the filters of `runs`. */
  conditions: readonly (string | undefined)[]
  className?: string
  children: ReactNode
}

/** Link to the list of the runs behind a figure. */
export function RunsLink({ runs, t, conditions, className, children }: RunsLinkProps) {
  const { tenant } = useChartContext()
  const { run, root, tree } = runs.filters
  return (
    <Link
      to="/o/$tenant/projects/p/$projectId"
      params={{ tenant, projectId: runs.projectId }}
      search={{ scope: runs.scope, t, filter: addConditions(run, ...conditions), traceFilter: root, treeFilter: tree }}
      className={className}
    >
      {children}
    </Link>
  )
}

const NO_KEYS: readonly string[] = []

/** The runs of a chart: the runs of the page, narrowed by the filter of the chart. */
export function toChartRuns(context: ChartContextValue, chart: Pick<DashboardChart, 'scope' | 'filter'>): ChartRuns {
  const { projectId, filters } = context
  return {
    projectId,
    scope: chart.scope,
    filters: { ...filters, run: addConditions(filters.run, chart.filter ?? undefined) },
  }
}

/** Loads the series of a chart and of the previous period, and arranges them into lines. */
export function useChartSeries(chart: DashboardChart) {
  const context = useChartContext()
  const group = chart.group_by ?? context.group
  const runs = toChartRuns(context, chart)
  const { bounds } = context.window
  const metric = useMemo(
    () => getMetric({ metric: chart.metric, feedback_key: chart.feedback_key }),
    [chart.metric, chart.feedback_key],
  )
  const feedbackKeys = chart.metric === 'feedback' ? context.feedbackKeys : NO_KEYS
  const distinct = metric.distinct && [metric.distinct]
  const read = useQuery(monitorQuery.series(runs, bounds, { group, feedbackKeys, distinct }))
  const before = usePreviousSeries(runs, read.isPlaceholderData ? undefined : read.data?.bucket)
  const isGrouped = group !== undefined
  const drawn = context.isCompared && !isGrouped ? before : undefined
  const picture = useMemo(
    () => read.data && toChartData(metric, read.data, isGrouped, drawn),
    [read.data, drawn, metric, isGrouped],
  )
  return { read, runs, group, metric, picture, bucket: read.data?.bucket, before: before?.series }
}

/** The previous period in the same buckets, without groups; undefined while it is not known, or when there is none. */
function usePreviousSeries(runs: ChartRuns, bucket: Bucket | undefined) {
  const { window, ofPrevious } = useChartContext()
  const { bounds, nowMs } = window
  const period = getPreviousPeriod(bounds, nowMs)
  const read = useQuery({
    ...monitorQuery.series(runs, period?.bounds ?? bounds, { ...ofPrevious, bucket }),
    enabled: period !== undefined && bucket !== undefined && ofPrevious !== undefined,
  })
  const shiftMs = period?.shiftMs
  const series = read.isPlaceholderData || bucket === undefined ? undefined : read.data
  return useMemo(() => (series && shiftMs !== undefined ? { series, shiftMs } : undefined), [series, shiftMs])
}

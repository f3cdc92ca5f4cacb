import { useQuery } from '@tanstack/react-query'
import type { DashboardChart } from '@touchstone/contract'
import { useMemo } from 'react'
import { type ChartRuns, monitorQuery } from '#data/monitor.ts'
import { periodBefore } from '#lib/monitor/buckets.ts'
import { narrow } from '#lib/monitor/drill-down.ts'
import { metricOf } from '#lib/monitor/metrics.ts'
import { pictureOf } from '#lib/monitor/picture.ts'
import { type ChartContextValue, useChartContext } from './chart-context.tsx'

const NO_KEYS: readonly string[] = []

/** The runs of a chart: the runs of the page, narrowed by the filter of the chart. */
export function toChartRuns(context: ChartContextValue, chart: Pick<DashboardChart, 'scope' | 'filter'>): ChartRuns {
  const { projectId, filters } = context
  return { projectId, scope: chart.scope, filters: { ...filters, run: narrow(filters.run, chart.filter ?? undefined) } }
}

/** Loads the series of a chart and arranges them into lines. */
export function useChartSeries(chart: DashboardChart) {
  const context = useChartContext()
  const group = chart.group_by ?? context.group
  const runs = toChartRuns(context, chart)
  const { bounds, nowMs } = context.window
  const feedbackKeys = chart.metric === 'feedback' ? context.feedbackKeys : NO_KEYS
  const read = useQuery(monitorQuery.series(runs, bounds, { group, feedbackKeys }))
  const period = context.isCompared && group === undefined ? periodBefore(bounds, nowMs) : undefined
  const before = useQuery({
    ...monitorQuery.series(runs, period?.bounds ?? bounds, { feedbackKeys, bucket: read.data?.bucket }),
    enabled: period !== undefined && read.isSuccess,
  })
  const metric = useMemo(
    () => metricOf({ metric: chart.metric, feedback_key: chart.feedback_key }),
    [chart.metric, chart.feedback_key],
  )
  const shiftMs = period?.shiftMs
  const earlier = before.data
  const isGrouped = group !== undefined
  const picture = useMemo(() => {
    if (!read.data) return undefined
    const with_ = earlier && shiftMs !== undefined ? { series: earlier, shiftMs } : undefined
    return pictureOf(metric, read.data, isGrouped, with_)
  }, [read.data, earlier, shiftMs, metric, isGrouped])
  return { read, runs, group, metric, picture, bucket: read.data?.bucket }
}

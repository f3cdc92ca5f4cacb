import { useQuery } from '@tanstack/react-query'
import type { Bucket, DashboardChart } from '@touchstone/contract'
import { useMemo, useState } from 'react'
import { monitorQuery } from '#data/monitor.ts'
import { formatAbsoluteTime } from '#lib/format.ts'
import {
  type ChartData,
  formatBucket,
  getNextBucket,
  type LegendState,
  OTHER,
  selectVisibleLines,
  summarizeChart,
} from '#lib/monitor/chart.ts'
import { ErrorState, Skeleton } from '#ui/states.tsx'
import { Legend, SeriesTable } from '#ui/time-series/legend.tsx'
import { TimeSeries } from '#ui/time-series/time-series.tsx'
import { useChartContext, useChartSeries } from './chart-context.tsx'
import { OtherGroups, PointMenu } from './drill-down.tsx'

const FEW_SAMPLES = 5

/** A metric over time as a chart or a table. Each data point links to its runs. */
export function SeriesChart({ chart, isTable }: { chart: DashboardChart; isTable: boolean }) {
  const { read, runs, group, metric, picture, bucket } = useChartSeries(chart)
  const context = useChartContext()
  const [legend, setLegend] = useState<LegendState>({ solo: undefined, hidden: new Set() })
  const [mark, setMark] = useState<{ index: number; line: string; x: number; y: number }>()
  const [isListing, setListing] = useState(false)
  const lines = useMemo(
    () =>
      picture &&
      selectVisibleLines(picture, legend).map((line) => ({
        ...line,
        isDashed: line.isBefore ?? false,
        isFaint: line.samples.map((samples) => samples < FEW_SAMPLES),
      })),
    [picture, legend],
  )
  const range = useMemo(
    () => picture && bucket && computeAxisRange(picture, bucket, context.window),
    [picture, bucket, context.window],
  )
  if (read.isError && !picture) {
    return (
      <ErrorState compact title="Could not load this chart" error={read.error} onRetry={() => void read.refetch()} />
    )
  }
  if (!picture || !lines || !bucket || !range) return <Skeleton className="m-2 h-40" />
  if (picture.lines.every((line) => line.isBefore || line.values.every((value) => value === null))) return <NoData />

  const format = (value: number | null) => metric.format(value)
  const nameOfTime = (time: number) => formatBucketTime(time, bucket)
  const summary = summarizeChart(metric, picture)
  const kind = chart.kind === 'bar' ? 'bar' : 'line'
  const markedTime = mark && picture.times[mark.index]
  const layer = mark && markedTime !== undefined && (
    <PointMenu
      {...mark}
      runs={runs}
      group={group}
      picture={picture}
      bucket={bucket}
      name={nameOfTime(markedTime)}
      onList={() => setListing(true)}
      onClose={() => setMark(undefined)}
    />
  )
  return (
    <div className={read.isPlaceholderData ? 'opacity-60' : undefined}>
      {isTable ? (
        <div className="relative">
          <SeriesTable
            caption={summary}
            times={picture.times}
            lines={lines}
            format={format}
            nameOfTime={nameOfTime}
            isOpen={(index) => lines.some((line) => !line.isDashed && line.values[index] !== null)}
            onPick={(index) => setMark({ index, line: group ? '' : 'all', x: 24, y: 24 })}
          />
          {layer}
        </div>
      ) : (
        <TimeSeries
          summary={`${summary} Each point covers ${formatBucket(bucket)}.`}
          kind={kind}
          isStacked={metric.isStacked}
          times={picture.times}
          range={range}
          lines={lines}
          format={format}
          nameOfTime={nameOfTime}
          sync={`monitor-${context.projectId}`}
          theme={context.theme}
          onPick={setMark}
          onZoom={context.onZoom}
        >
          {layer}
        </TimeSeries>
      )}
      <Legend
        lines={picture.lines.map((line) => ({
          ...line,
          isDashed: line.isBefore ?? false,
          onOpen: line.group === OTHER ? () => setListing(true) : undefined,
        }))}
        {...legend}
        onSolo={(solo) => setLegend({ ...legend, solo })}
        onHidden={(hidden) => setLegend({ solo: undefined, hidden })}
      />
      {isListing && group && (
        <OtherGroups runs={runs} group={group} bucket={bucket} onClose={() => setListing(false)} />
      )}
    </div>
  )
}

/** The axis covers the whole time range and whole buckets at both ends. */
function computeAxisRange(
  { times }: ChartData,
  bucket: Bucket,
  { bounds, nowMs }: { bounds: { from?: string | undefined; to?: string | undefined }; nowMs: number },
): readonly [number, number] {
  const first = times[0] ?? nowMs
  const end = getNextBucket(times.at(-1) ?? nowMs, bucket)
  const from = bounds.from === undefined ? first : Math.min(Date.parse(bounds.from), first)
  return [from, Math.max(bounds.to === undefined ? nowMs : Date.parse(bounds.to), end)]
}

const DAY: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric' }
const MINUTE: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }

/** A bucket as text: `Aug 21 14:00–15:00`. */
function formatBucketTime(start: number, bucket: Bucket): string {
  const [from, to] = [new Date(start), new Date(getNextBucket(start, bucket))]
  const day = from.toLocaleDateString('en-US', DAY)
  if (bucket === '1d') return day
  if (bucket === '1w' || bucket === '1M')
    return `${day} – ${new Date(to.getTime() - 1).toLocaleDateString('en-US', DAY)}`
  return `${day} ${from.toLocaleTimeString('en-US', MINUTE)}–${to.toLocaleTimeString('en-US', MINUTE)}`
}

/** Shown when the time range has no data, with the time of the last run if there is an older one. */
function NoData() {
  const { projectId, window } = useChartContext()
  const last = useQuery(monitorQuery.lastRun(projectId))
  const isOlder = last.data && window.bounds.from !== undefined && last.data < window.bounds.from
  return (
    <p className="flex h-[168px] flex-col items-center justify-center text-center text-row text-fg-muted">
      No data in this range
      {isOlder && <span>Last run: {formatAbsoluteTime(last.data)}</span>}
    </p>
  )
}

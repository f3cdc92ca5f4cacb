import { useQuery } from '@tanstack/react-query'
import type { Bucket, DashboardChart } from '@touchstone/contract'
import { useMemo, useState } from 'react'
import { formatAbsoluteTime, formatMinute } from '#lib/format.ts'
import type { Bounds } from '#lib/time/time-range.ts'
import { ErrorState, Skeleton } from '#ui/states.tsx'
import { Legend, SeriesTable } from '#ui/time-series/legend.tsx'
import { type SeriesLine, TimeSeries } from '#ui/time-series/time-series.tsx'
import {
  type ChartData,
  formatBucket,
  getNextBucket,
  type LegendState,
  type Line,
  OTHER,
  selectVisibleLines,
  summarizeChart,
} from '../logic/chart.ts'
import { findPartialBuckets } from '../logic/figures.ts'
import { monitorQuery } from '../queries.ts'
import { useChartContext, useChartSeries } from './chart-context.tsx'
import { ChartFigure } from './chart-figure.tsx'
import { OtherGroups, PointMenu } from './drill-down.tsx'
import { GroupTotals } from './group-totals.tsx'

const FEW_SAMPLES = 5

/** A metric over time as a chart or a table, under its figure. Each data point links to its runs. */
export function SeriesChart({ chart, isTable }: { chart: DashboardChart; isTable: boolean }) {
  const data = useChartSeries(chart)
  const { read, metric, picture, bucket } = data
  if (read.isError && !picture) {
    return (
      <ErrorState compact title="Could not load this chart" error={read.error} onRetry={() => void read.refetch()} />
    )
  }
  const isGrouped = data.group !== undefined
  if (!read.data || !picture || !bucket) {
    return (
      <>
        <Skeleton className="mx-1 my-2 w-40" />
        <Skeleton className="m-2 h-[152px]" />
        <div className={isGrouped ? GROUPED_LEGEND : LEGEND} />
        {isGrouped && <div className="h-6" />}
      </>
    )
  }
  const isEmpty = picture.lines.every((line) => line.isBefore || line.values.every((value) => value === null))
  return (
    <div aria-busy={read.isPlaceholderData} className={read.isPlaceholderData ? 'opacity-60' : undefined}>
      <ChartFigure
        metric={metric}
        scope={chart.scope}
        total={read.data.total}
        before={read.isPlaceholderData ? undefined : data.before?.total}
        bucket={bucket}
      />
      {isEmpty ? <NoData /> : <Plot chart={chart} isTable={isTable} data={{ ...data, picture, bucket }} />}
      {data.group && !isEmpty && (
        <GroupTotals metric={metric} series={read.data} group={data.group} runs={data.runs} bucket={bucket} />
      )}
    </div>
  )
}

const LEGEND = 'min-h-6'
/** Two rows, three on phones, so that the charts of a page do not move when they load. */
const GROUPED_LEGEND = 'h-12 overflow-y-auto max-sm:h-18'

type LoadedSeries = ReturnType<typeof useChartSeries> & { picture: ChartData; bucket: Bucket }

interface PlotProps {
  chart: DashboardChart
  isTable: boolean
  data: LoadedSeries
}

/** The lines or bars, or their table, with the legend and the menu of a point. */
function Plot({ chart, isTable, data: { picture, bucket, metric, runs, group } }: PlotProps) {
  const context = useChartContext()
  const [legend, setLegend] = useState<LegendState>({ solo: undefined, hidden: new Set() })
  const [mark, setMark] = useState<{ index: number; line: string; x: number; y: number }>()
  const [isListing, setListing] = useState(false)
  const kind = chart.kind === 'bar' ? 'bar' : 'line'
  const lines = useMemo(() => selectVisibleLines(picture, legend).map(toSeriesLine), [picture, legend])
  const range = useMemo(() => computeAxisRange(picture, bucket, context.window), [picture, bucket, context.window])
  const partial = useMemo(
    () => describePartialBuckets(picture.times, bucket, context.window.bounds),
    [picture, bucket, context.window],
  )
  const shared = {
    times: picture.times,
    lines,
    partial,
    format: (value: number | null) => metric.format(value),
    nameOfTime: (time: number) => formatBucketTime(time, bucket),
  }
  const summary = summarizeChart(metric, picture)
  const markedTime = mark && picture.times[mark.index]
  const layer = mark && markedTime !== undefined && (
    <PointMenu
      {...mark}
      runs={runs}
      group={group}
      picture={picture}
      bucket={bucket}
      name={formatBucketTime(markedTime, bucket)}
      onList={() => setListing(true)}
      onClose={() => setMark(undefined)}
    />
  )
  return (
    <>
      {isTable ? (
        <div className="relative">
          <SeriesTable
            {...shared}
            caption={summary}
            isOpen={(index) => lines.some((line) => !line.isReference && line.values[index] !== null)}
            onPick={(index) => setMark({ index, line: group ? '' : 'all', x: 24, y: 24 })}
          />
          {layer}
        </div>
      ) : (
        <TimeSeries
          {...shared}
          summary={`${summary} Each point covers ${formatBucket(bucket)}.`}
          kind={kind}
          isStacked={metric.isStacked}
          range={range}
          sync={`monitor-${context.projectId}`}
          theme={context.theme}
          onPick={setMark}
          onZoom={context.onZoom}
        >
          {layer}
        </TimeSeries>
      )}
      <div className={group ? GROUPED_LEGEND : LEGEND}>
        <Legend
          lines={picture.lines.map((line) => ({
            ...toSeriesLine(line),
            isLine: kind === 'line' || line.isBefore === true,
            onOpen: line.group === OTHER ? () => setListing(true) : undefined,
          }))}
          {...legend}
          onSolo={(solo) => setLegend({ ...legend, solo })}
          onHidden={(hidden) => setLegend({ solo: undefined, hidden })}
        />
      </div>
      {isListing && group && (
        <OtherGroups runs={runs} group={group} bucket={bucket} onClose={() => setListing(false)} />
      )}
    </>
  )
}

function toSeriesLine(line: Line): SeriesLine {
  return {
    ...line,
    dash: line.dash ?? [],
    isReference: line.isBefore ?? false,
    isFaint: line.samples.map((samples) => samples < FEW_SAMPLES),
  }
}

/** Why a bucket shows less than happened in it, by index. */
function describePartialBuckets(times: readonly number[], bucket: Bucket, bounds: Bounds): ReadonlyMap<number, string> {
  const toMinute = (iso: string | undefined) => formatMinute(iso, 'local')
  return new Map(
    Array.from(findPartialBuckets(times, bucket, bounds), ([at, side]) => [
      at,
      side === 'start'
        ? `Partial: the range starts at ${toMinute(bounds.from)}`
        : `Partial: the range ends at ${toMinute(bounds.to)}`,
    ]),
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
    <p className="flex h-48 flex-col items-center justify-center text-center text-row text-fg-muted">
      No data in this range
      {isOlder && <span>Last run: {formatAbsoluteTime(last.data)}</span>}
    </p>
  )
}

import type { Bucket, DashboardChart, SeriesFigures } from '@touchstone/contract'
import { MoveRight, TrendingDown, TrendingUp } from 'lucide-react'
import { cx } from '#lib/browser.ts'
import { computeDelta, type Delta, formatPerBucket, getCaption } from '../logic/figures.ts'
import type { Metric } from '../logic/metrics.ts'

interface ChartFigureProps {
  metric: Metric
  scope: DashboardChart['scope']
  /** Over the whole range. */
  total: SeriesFigures
  /** The same for the previous period; undefined while it is not known. */
  before: SeriesFigures | undefined
  bucket: Bucket
}

/** The figure of a chart over the whole range, its change since the previous period, and the length of a bucket. */
export function ChartFigure({ metric, scope, total, before, bucket }: ChartFigureProps) {
  const note = metric.note?.(total)
  const delta = before && computeDelta(metric, total, before)
  return (
    <p className="flex h-7 items-baseline gap-x-1.5 overflow-hidden whitespace-nowrap px-1 text-meta text-fg-muted">
      <span className="text-heading font-semibold tabular-nums text-fg">
        {metric.format(metric.headline.read(total))}
      </span>
      <span className="truncate">
        {getCaption(metric, scope)}
        {note && `, ${note}`}
      </span>
      {delta && <Change delta={delta} />}
      <span className="ml-auto pl-2 text-fg-subtle">{formatPerBucket(bucket)}</span>
    </p>
  )
}

const ICONS = { up: TrendingUp, down: TrendingDown, same: MoveRight }
const TONES = { bad: 'text-err', good: 'text-ok', neutral: 'text-fg-muted' }

function Change({ delta: { direction, text, title, tone } }: { delta: Delta }) {
  const Icon = ICONS[direction]
  return (
    <span title={title} className={cx('inline-flex items-baseline gap-1 self-center tabular-nums', TONES[tone])}>
      <Icon size={12} aria-hidden className="self-center" />
      {direction !== 'same' && <span className="sr-only">{direction}</span>}
      {text}
      <span className="sr-only">, {title}</span>
    </span>
  )
}

import { type KeyboardEvent, useMemo, useState } from 'react'
import { formatCount } from '#lib/format.ts'
import { useElementWidth } from '#ui/hooks.tsx'
import { formatMeasure, getMeasureLabel } from '../format-measure.ts'
import { type Measure, printMeasure } from '../logic/comparison-measures.ts'
import { type Bin, computeBins, computeMean, getBinRange } from '../logic/distribution.ts'
import { printConditions } from '../logic/row-filter.ts'
import { ChartCard } from './chart-card.tsx'
import type { SummaryProps } from './outcomes-table.tsx'

interface DistributionCardProps extends SummaryProps {
  measure: Measure
}

/** How many examples have which value of a metric, by experiment. A bar filters the rows to its values. */
export function DistributionCard({ comparison, colors, measure }: DistributionCardProps) {
  const { cells, measures, rows, filter, change } = comparison
  const measured = measures(measure)
  const bins = useMemo(() => computeBins(measured, rows), [measured, rows])
  const label = measure.kind === 'score' ? measure.key : getMeasureLabel(measure).toLowerCase()
  const experiments = cells.experiments.map(({ id, name }, at) => ({
    name,
    color: colors.get(id) ?? 'accent',
    mean: computeMean(measured.means[at], rows).mean,
  }))
  function filterTo(bin: Bin) {
    const on = printMeasure(measure)
    const others = filter.conditions.filter((one) => one.on !== on || one.of !== undefined)
    change({ filter: printConditions([...others, { on, ...getBinRange(bin) }]) })
  }
  return (
    <ChartCard title={`Distribution of ${label}`} note={bins.length === 0 ? 'No values' : 'Examples by value'}>
      {bins.length > 0 && (
        <Histogram
          bins={bins}
          experiments={experiments}
          format={(value) => formatMeasure(measure, value)}
          onPick={filterTo}
        />
      )}
    </ChartCard>
  )
}

interface HistogramProps {
  bins: readonly Bin[]
  experiments: readonly { name: string; color: string; mean: number }[]
  format: (value: number) => string
  onPick: (bin: Bin) => void
}

const HEIGHT = 120
const LABELS = 18
/** Space for the numbers above the bars. */
const HEADROOM = 14
/** Narrower bars have no number. */
const MIN_NUMBERED_WIDTH = 18

function Histogram({ bins, experiments, format, onPick }: HistogramProps) {
  const [box, width] = useElementWidth<HTMLDivElement>()
  const [stop, setStop] = useState(0)
  const peak = Math.max(...bins.flatMap(({ counts }) => counts), 1)
  const step = width / bins.length
  const barWidth = Math.max(Math.min((step - 4) / experiments.length, 24), 1)
  const describe = ({ low, high, counts }: Bin) => {
    const range = low === high ? format(low) : `${format(low)} to ${format(high)}`
    return `${range}: ${counts.map((count, at) => `${experiments[at]?.name ?? ''} ${formatCount(count)}`).join(', ')}`
  }
  function move(event: KeyboardEvent<HTMLElement>, at: number) {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: bins.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const next = Math.min(Math.max(to, 0), bins.length - 1)
    setStop(next)
    event.currentTarget.parentElement?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <div ref={box} className="relative mt-2" style={{ height: HEIGHT + LABELS }}>
      {width > 0 && (
        <svg aria-hidden width={width} height={HEIGHT + LABELS} className="absolute inset-0">
          <line x1={0} x2={width} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} stroke="var(--border-strong)" />
          {bins.map(({ low, counts }, at) =>
            counts.map((count, experiment) => {
              const height = (count / peak) * (HEIGHT - HEADROOM)
              const left = at * step + step / 2 + (experiment - counts.length / 2) * barWidth
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: experiments keep their order
                <g key={`${low} ${experiment}`}>
                  <rect
                    x={left}
                    y={HEIGHT - height}
                    width={Math.max(barWidth - 1, 1)}
                    height={height}
                    fill={`var(--${experiments[experiment]?.color})`}
                  />
                  {count > 0 && barWidth >= MIN_NUMBERED_WIDTH && (
                    <text
                      x={left + barWidth / 2}
                      y={HEIGHT - height - 3}
                      fontSize={11}
                      textAnchor="middle"
                      fill="var(--fg-muted)"
                    >
                      {formatCount(count)}
                    </text>
                  )}
                </g>
              )
            }),
          )}
          {listLabels(bins).map(({ at, value }) => (
            <text
              key={at}
              x={Math.min(Math.max((at + 0.5) * step, 16), width - 16)}
              y={HEIGHT + 14}
              fontSize={11}
              textAnchor="middle"
              fill="var(--fg-subtle)"
            >
              {format(value)}
            </text>
          ))}
        </svg>
      )}
      {width > 0 &&
        bins.map((bin, at) => (
          <button
            key={bin.low}
            type="button"
            aria-label={`Show the examples with ${describe(bin)}`}
            title={describe(bin)}
            tabIndex={at === Math.min(stop, bins.length - 1) ? 0 : -1}
            style={{ left: at * step, width: step, height: HEIGHT }}
            onClick={() => onPick(bin)}
            onFocus={() => setStop(at)}
            onKeyDown={(event) => move(event, at)}
            className="absolute top-0 rounded-control outline-offset-[-2px] hover:bg-accent/10"
          />
        ))}
    </div>
  )
}

const MAX_LABELS = 8

/** All values of a few bars; the ends and the middle of many. */
function listLabels(bins: readonly Bin[]): readonly { at: number; value: number }[] {
  const shown = bins.length <= MAX_LABELS ? bins.map((_, at) => at) : [0, Math.floor(bins.length / 2), bins.length - 1]
  return shown.map((at) => ({ at, value: at === bins.length - 1 ? (bins[at]?.high ?? 0) : (bins[at]?.low ?? 0) }))
}

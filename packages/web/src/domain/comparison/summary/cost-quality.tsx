import { useMemo } from 'react'
import { computeMean, computeRunFigures, findRange } from '#lib/experiments/distribution.ts'
import { formatCost, formatLatency } from '#lib/format.ts'
import { useElementWidth } from '#ui/hooks.tsx'
import type { Comparison } from '../comparison.ts'
import { formatMeasure, getMeasureLabel } from '../format-measure.ts'
import { Axes, ChartCard, createPlotScale, PLOT_HEIGHT } from './chart-card.tsx'
import type { SummaryProps } from './outcomes-table.tsx'

interface Point {
  readonly id: string
  readonly name: string
  readonly x: number
  readonly y: number
  readonly margin: number
}

/** The mean of the metric against the cost of a run, or against latency when no price is known. */
export function CostQuality({ comparison, colors }: SummaryProps) {
  const { points, isCost } = useMemo(() => listPoints(comparison), [comparison])
  const label = getMeasureLabel(comparison.measured.measure)
  const formatX = (value: number) => (isCost ? formatCost(String(value)) : formatLatency(value))
  const xTitle = isCost ? 'cost per run' : 'median latency'
  const formatY = (value: number) => formatMeasure(comparison.measured.measure, value)
  const title = `${label} against ${xTitle}`
  return (
    <ChartCard
      title={title}
      note={
        points.length === 0
          ? 'No values'
          : `${comparison.measured.isLowerBetter ? 'Down' : 'Up'} and to the left is better`
      }
    >
      {points.length > 0 && (
        <CostPlot
          label={`${title}: ${points.map(({ name, x, y }) => `${name} ${formatY(y)} for ${formatX(x)}`).join('; ')}`}
          {...{ points, colors, formatX, formatY, xTitle }}
        />
      )}
    </ChartCard>
  )
}

function listPoints({ cells, measured }: Comparison): { points: readonly Point[]; isCost: boolean } {
  const figures = cells.experiments.map(computeRunFigures)
  const isCost = figures.some(({ costPerRun }) => !Number.isNaN(costPerRun))
  const points = cells.experiments.flatMap(({ id, name }, at) => {
    const { mean: y, margin = 0 } = computeMean(measured.means[at], cells.exampleIds.keys())
    const x = (isCost ? figures[at]?.costPerRun : figures[at]?.latencyP50Ms) ?? Number.NaN
    return Number.isNaN(x) || Number.isNaN(y) ? [] : [{ id, name, x, y, margin }]
  })
  return { points, isCost }
}

interface CostPlotProps {
  label: string
  points: readonly Point[]
  colors: ReadonlyMap<string, string>
  formatX: (value: number) => string
  formatY: (value: number) => string
  xTitle: string
}

const LONGEST_NAME = 18

function CostPlot({ label, points, colors, formatX, formatY, xTitle }: CostPlotProps) {
  const [box, width] = useElementWidth<HTMLDivElement>()
  const x = findRange(points.map((point) => point.x))
  const y = findRange(points.flatMap((point) => [point.y - point.margin, point.y + point.margin]))
  const scale = createPlotScale(width, x, y)
  return (
    <div ref={box} style={{ height: PLOT_HEIGHT }}>
      {width > 0 && (
        <svg role="img" aria-label={label} width={width} height={PLOT_HEIGHT}>
          <Axes {...{ width, scale, x, y, formatX, formatY, xTitle }} />
          {points.map((point) => {
            const [left, top] = [scale.toX(point.x), scale.toY(point.y)]
            const isRight = left > width * 0.6
            const color = `var(--${colors.get(point.id)})`
            return (
              <g key={point.id}>
                <line
                  x1={left}
                  x2={left}
                  y1={scale.toY(point.y - point.margin)}
                  y2={scale.toY(point.y + point.margin)}
                  stroke={color}
                  strokeWidth={1.5}
                />
                <circle cx={left} cy={top} r={4.5} fill={color} />
                <text
                  x={isRight ? left - 8 : left + 8}
                  y={top + 4}
                  fontSize={11}
                  textAnchor={isRight ? 'end' : 'start'}
                  fill="var(--fg)"
                >
                  {point.name.length > LONGEST_NAME ? `${point.name.slice(0, LONGEST_NAME - 1)}…` : point.name}
                </text>
              </g>
            )
          })}
        </svg>
      )}
    </div>
  )
}

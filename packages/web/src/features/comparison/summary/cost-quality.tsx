import { useMemo } from 'react'
import { formatCost, formatLatency } from '#lib/format.ts'
import { useElementWidth } from '#ui/hooks.tsx'
import type { Comparison } from '../comparison.ts'
import { formatMeasure, getMeasureLabel } from '../format-measure.ts'
import { computeMean, computeRunFigures, findRange } from '../logic/distribution.ts'
import { placeLabels } from '../logic/place-labels.ts'
import { Axes, ChartCard, createPlotScale, INSET, PLOT_HEIGHT, type PlotScale } from './chart-card.tsx'
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

/** Width of a letter of a name in px, on average. */
const LETTER_WIDTH = 6

/** Space between a point and its name in px. */
const NAME_GAP = 8

/** Where the points and their names are: a name is on the side with more space, and covers no other. */
function placeMarks(points: readonly Point[], scale: PlotScale, width: number) {
  const marks = points.map((point) => {
    const [left, top] = [scale.toX(point.x), scale.toY(point.y)]
    const isRight = left > (INSET.left + width) / 2
    const space = isRight ? left - INSET.left : width - INSET.right - left
    const name = cutName(point.name, (space - NAME_GAP) / LETTER_WIDTH)
    const [near, far] = [left + (isRight ? -NAME_GAP : NAME_GAP), NAME_GAP + name.length * LETTER_WIDTH]
    const label = isRight ? { left: left - far, right: near, top } : { left: near, right: left + far, top }
    return { point, name, left, top, isRight, label }
  })
  const moved = placeLabels(
    marks.map(({ label }) => label),
    [INSET.top, PLOT_HEIGHT - INSET.bottom - 6],
  )
  return marks.map((mark, at) => ({ ...mark, moved: moved[at] ?? 0 }))
}

function cutName(name: string, letters: number): string {
  return name.length > letters ? `${name.slice(0, Math.max(Math.floor(letters) - 1, 1))}…` : name
}

function CostPlot({ label, points, colors, formatX, formatY, xTitle }: CostPlotProps) {
  const [box, width] = useElementWidth<HTMLDivElement>()
  const x = findRange(points.map((point) => point.x))
  const y = findRange(points.flatMap((point) => [point.y - point.margin, point.y + point.margin]))
  const scale = createPlotScale(width, x, y)
  const marks = placeMarks(points, scale, width)
  return (
    <div ref={box} style={{ height: PLOT_HEIGHT }}>
      {width > 0 && (
        <svg role="img" aria-label={label} width={width} height={PLOT_HEIGHT}>
          <Axes {...{ width, scale, x, y, formatX, formatY, xTitle }} />
          {marks.map(({ point, name, left, top, isRight, moved }) => {
            const color = `var(--${colors.get(point.id)})`
            return (
              <g key={point.id}>
                <title>{point.name}</title>
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
                  x={isRight ? left - NAME_GAP : left + NAME_GAP}
                  y={top + 4 + moved}
                  fontSize={11}
                  textAnchor={isRight ? 'end' : 'start'}
                  fill="var(--fg)"
                >
                  {name}
                </text>
              </g>
            )
          })}
        </svg>
      )}
    </div>
  )
}

import type { ReactNode } from 'react'

interface ChartCardProps {
  title: string
  /** One line below the title. */
  note?: ReactNode
  children: ReactNode
}

/** A chart with its title. */
export function ChartCard({ title, note, children }: ChartCardProps) {
  return (
    <figure aria-label={title} className="flex min-w-0 flex-col rounded-card border border-border bg-surface p-2.5">
      <figcaption className="min-w-0">
        <h3 className="truncate text-row font-medium" title={title}>
          {title}
        </h3>
        {note !== undefined && <p className="truncate text-meta text-fg-muted">{note}</p>}
      </figcaption>
      {children}
    </figure>
  )
}

export const PLOT_HEIGHT = 200
/** Space around a plot for its labels, in px. */
export const INSET = { left: 48, right: 10, top: 10, bottom: 30 } as const

export interface PlotScale {
  readonly toX: (value: number) => number
  readonly toY: (value: number) => number
}

/** Maps values to positions. A margin of 5 % keeps marks off the edges. */
export function createPlotScale(
  width: number,
  [xLow, xHigh]: readonly [number, number],
  [yLow, yHigh]: readonly [number, number],
): PlotScale {
  const toShare = (value: number, low: number, high: number) =>
    high === low ? 0.5 : 0.05 + (0.9 * (value - low)) / (high - low)
  return {
    toX: (value) => INSET.left + toShare(value, xLow, xHigh) * Math.max(width - INSET.left - INSET.right, 1),
    toY: (value) => INSET.top + (1 - toShare(value, yLow, yHigh)) * (PLOT_HEIGHT - INSET.top - INSET.bottom),
  }
}

interface AxesProps {
  width: number
  scale: PlotScale
  x: readonly [number, number]
  y: readonly [number, number]
  formatX: (value: number) => string
  formatY: (value: number) => string
  xTitle: string
}

/** The frame of a plot with the ends of its axes. */
export function Axes({ width, scale, x, y, formatX, formatY, xTitle }: AxesProps) {
  const bottom = PLOT_HEIGHT - INSET.bottom
  const text = { fontSize: 11, fill: 'var(--fg-subtle)' }
  const ends = ([low, high]: readonly [number, number]) => (low === high ? [low] : [low, high])
  return (
    <>
      <line x1={INSET.left} x2={width - INSET.right} y1={bottom} y2={bottom} stroke="var(--border-strong)" />
      <line x1={INSET.left} x2={INSET.left} y1={INSET.top} y2={bottom} stroke="var(--border-strong)" />
      {ends(y).map((value) => (
        <text key={value} {...text} x={INSET.left - 6} y={scale.toY(value) + 3.5} textAnchor="end">
          {formatY(value)}
        </text>
      ))}
      {ends(x).map((value, at) => (
        <text
          key={value}
          {...text}
          x={at === 0 ? INSET.left : width - INSET.right}
          y={bottom + 13}
          textAnchor={at === 0 ? 'start' : 'end'}
        >
          {formatX(value)}
        </text>
      ))}
      <text {...text} x={(INSET.left + width - INSET.right) / 2} y={PLOT_HEIGHT - 4} textAnchor="middle">
        {xTitle}
      </text>
    </>
  )
}

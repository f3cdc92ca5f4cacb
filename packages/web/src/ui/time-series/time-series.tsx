import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useElementWidth } from '#ui/hooks.tsx'
import { Swatch } from './legend.tsx'
import { drawPlot, type Plot, type PlotLine } from './plot.ts'

export interface SeriesLine extends Omit<PlotLine, 'color'> {
  id: string
  label: string
  /** Name of a color token, without the dashes. */
  color: string
}

export interface TimeSeriesProps {
  /** The chart in a sentence. */
  summary: string
  kind: 'line' | 'bar'
  isStacked: boolean
  times: readonly number[]
  range: readonly [number, number]
  lines: readonly SeriesLine[]
  /** Buckets of which the range has only a part, by index, with the reason. */
  partial: ReadonlyMap<number, string>
  format: (value: number | null) => string
  /** Formats a bucket for the tooltip. */
  nameOfTime: (time: number) => string
  sync: string
  /** Changes with the colors. */
  theme: string
  onPick: (at: { index: number; line: string; x: number; y: number }) => void
  onZoom: (from: number, to: number) => void
  /** Drawn over the plot. */
  children?: ReactNode
}

const HEIGHT = 168

/**
 * Lines or bars over time. Dragging selects a time range, a click selects a point, plots with the same name share a
 * crosshair.
 */
export function TimeSeries(props: TimeSeriesProps) {
  const { kind, isStacked, times, range, lines, partial, sync, theme } = props
  const [box, width] = useElementWidth<HTMLDivElement>()
  const target = useRef<HTMLDivElement>(null)
  const plot = useRef<Plot>(undefined)
  const [hover, setHover] = useState<{ index: number; x: number }>()
  const latest = useRef(props)
  useLayoutEffect(() => {
    latest.current = props
  })

  const isSized = width > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors are read from the page, which follows the theme
  useEffect(() => {
    if (!target.current || !isSized) return
    const style = getComputedStyle(document.documentElement)
    const color = (token: string) => style.getPropertyValue(`--${token}`).trim()
    plot.current = drawPlot(target.current, {
      kind,
      isStacked,
      times,
      range,
      lines: lines.map((line) => ({ ...line, color: color(line.color) })),
      partial: [...partial.keys()],
      colors: { text: color('fg-muted'), grid: color('border'), surface: color('surface') },
      format: (value) => latest.current.format(value),
      sync,
      width: target.current.clientWidth,
      height: HEIGHT,
      onHover: setHover,
      onPick: ({ line, ...at }) => {
        const id = lines[line]?.id
        if (id !== undefined) latest.current.onPick({ ...at, line: id })
      },
      onZoom: (from, to) => latest.current.onZoom(from, to),
    })
    // A canvas keeps the fallback with which it was drawn while its font was loading.
    if (document.fonts?.status === 'loading') void document.fonts.ready.then(() => plot.current?.redraw())
    return () => {
      plot.current?.destroy()
      plot.current = undefined
      setHover(undefined)
    }
  }, [isSized, kind, isStacked, times, range, lines, partial, sync, theme])
  useEffect(() => {
    if (width > 0) plot.current?.resize(width)
  }, [width])

  return (
    <div ref={box} className="relative" style={{ height: HEIGHT }}>
      <div role="img" aria-label={props.summary} className="absolute inset-0 cursor-crosshair overflow-hidden">
        <div ref={target} className="[&_.u-cursor-x]:border-border-strong [&_.u-select]:bg-accent/20" />
      </div>
      {hover && times[hover.index] !== undefined && !props.children && (
        <Values {...props} hover={hover} width={width} />
      )}
      {props.children}
    </div>
  )
}

interface ValuesProps extends TimeSeriesProps {
  hover: { index: number; x: number }
  width: number
}

/** The value of each line at the crosshair. */
function Values({ hover, width, kind, lines, times, partial, format, nameOfTime }: ValuesProps) {
  const side = hover.x > width / 2 ? { right: width - hover.x + 10 } : { left: hover.x + 10 }
  return (
    <div
      aria-hidden
      style={side}
      className="pointer-events-none absolute top-1 z-10 max-w-60 rounded-control border border-border bg-surface px-2 py-1 text-meta shadow-layer"
    >
      <p className="whitespace-nowrap text-fg-muted">{nameOfTime(times[hover.index]!)}</p>
      {lines.map((line) => (
        <p key={line.id} className="flex items-center gap-1.5">
          <Swatch color={line.color} dash={line.dash} isLine={kind === 'line' || line.isReference} />
          <span className="min-w-0 truncate">{line.label}</span>
          <span className="ml-auto pl-2 font-medium tabular-nums">{format(line.values[hover.index] ?? null)}</span>
        </p>
      ))}
      {partial.has(hover.index) && <p className="text-fg-muted">{partial.get(hover.index)}</p>}
    </div>
  )
}

import 'uplot/dist/uPlot.min.css'
import uPlot from 'uplot'

/** One line or layer, with CSS colors. */
export interface PlotLine {
  color: string
  values: readonly (number | null)[]
  /** Values of few samples, drawn as hollow points. */
  isFaint: readonly boolean[]
  /** Lengths of dashes and gaps in px; empty for a solid line. */
  dash: readonly number[]
  /** Whether it is only drawn for comparison: in front, never stacked, without points to click. */
  isReference: boolean
}

export interface PlotOptions {
  kind: 'line' | 'bar'
  /** Whether layers are stacked; references are not. */
  isStacked: boolean
  /** Starts of the buckets in ms. */
  times: readonly number[]
  /** Range of the time axis in ms. */
  range: readonly [number, number]
  lines: readonly PlotLine[]
  /** Buckets of which the range has only a part. They are faded. */
  partial: readonly number[]
  colors: { text: string; grid: string; surface: string }
  format: (value: number) => string
  /** Plots with the same name share their crosshair. */
  sync: string
  width: number
  height: number
  onHover: (at: { index: number; x: number } | undefined) => void
  /** A click on a bucket, with the nearest line. */
  onPick: (at: { index: number; line: number; x: number; y: number }) => void
  /** The user selected a time range, in ms. */
  onZoom: (from: number, to: number) => void
}

export interface Plot {
  resize(width: number): void
  redraw(): void
  destroy(): void
}

/** Draws a plot into an element. Only this file depends on the chart library. */
export function drawPlot(element: HTMLElement, options: PlotOptions): Plot {
  const { lines, times, kind } = options
  const layers = stackValues(lines, options.isStacked && kind === 'bar')
  // Lines in front are drawn last: smaller sums after larger ones, references at the end.
  const order = [...lines.keys()].sort((a, b) => Number(lines[a]!.isReference) - Number(lines[b]!.isReference) || b - a)
  const plot = new uPlot(
    {
      width: options.width,
      height: options.height,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        points: { show: kind === 'line', size: 7 },
        drag: { x: true, y: false, setScale: false, dist: 5 },
        sync: { key: options.sync, scales: ['x', null] },
      },
      scales: {
        x: { time: true, range: () => [options.range[0] / 1000, options.range[1] / 1000] },
        y: { range: (_, least, most) => [Math.min(least ?? 0, 0), most > 0 ? most * 1.08 : 1] },
      },
      axes: [
        { ...axis(options), values: (_, splits, __, ___, step) => formatTimeLabels(splits, step), space: 64, size: 24 },
        { ...axis(options), values: (_, splits) => splits.map(options.format), space: 28, size: measureAxis },
      ],
      series: [{}, ...order.map((at) => toSeries(options, lines[at]!))],
      hooks: {
        draw: [(self) => fadePartial(self, options)],
        setSelect: [
          (self) => {
            const { left, width } = self.select
            if (width < 4) return
            options.onZoom(self.posToVal(left, 'x') * 1000, self.posToVal(left + width, 'x') * 1000)
            self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          },
        ],
        setCursor: [
          (self) => {
            if (!isOver) return
            const { idx, left } = self.cursor
            options.onHover(
              idx == null || left == null || left < 0
                ? undefined
                : { index: idx, x: self.valToPos(self.data[0][idx]!, 'x') + self.over.offsetLeft },
            )
          },
        ],
      },
    },
    [times.map((time) => time / 1000), ...order.map((at) => [...layers[at]!])],
    element,
  )
  // The crosshair of another plot moves this one too; only the plot under the pointer reports its values.
  let isOver = false
  plot.over.addEventListener('pointerenter', () => {
    isOver = true
  })
  plot.over.addEventListener('pointerleave', () => {
    isOver = false
    options.onHover(undefined)
  })
  plot.over.addEventListener('click', (event) => {
    const index = plot.cursor.idx
    if (index == null) return
    const box = plot.over.getBoundingClientRect()
    const value = plot.posToVal(event.clientY - box.top, 'y')
    const line = findLine(lines, layers, index, value, kind === 'bar' && options.isStacked)
    if (line === undefined) return
    const [left, top] = [plot.over.offsetLeft, plot.over.offsetTop]
    options.onPick({ index, line, x: event.clientX - box.left + left, y: event.clientY - box.top + top })
  })
  return {
    resize: (width) => plot.setSize({ width, height: options.height }),
    redraw: () => plot.redraw(false, true),
    destroy: () => plot.destroy(),
  }
}

const FADED = 0.62

/** Covers partial buckets with the color of the surface. A line is faded from the neighboring point on. */
function fadePartial(plot: uPlot, { partial, times, range, kind, colors }: PlotOptions): void {
  const { ctx, bbox } = plot
  const toX = (time: number) =>
    Math.min(Math.max(plot.valToPos(time / 1000, 'x', true), bbox.left), bbox.left + bbox.width)
  ctx.save()
  ctx.globalAlpha = FADED
  ctx.fillStyle = colors.surface
  for (const at of partial) {
    const isFirst = at === 0 && times.length > 1
    const from = isFirst ? range[0] : kind === 'bar' ? times[at] : (times[at - 1] ?? times[at])
    const to = isFirst ? times[1] : range[1]
    if (from === undefined || to === undefined) continue
    ctx.fillRect(toX(from), bbox.top, toX(to) - toX(from), bbox.height)
  }
  ctx.restore()
}

/** The layer at a height, or the nearest line. */
function findLine(
  lines: readonly PlotLine[],
  layers: readonly (readonly (number | null)[])[],
  index: number,
  value: number,
  isStacked: boolean,
): number | undefined {
  const known = [...lines.keys()].filter((at) => !lines[at]!.isReference && lines[at]!.values[index] != null)
  if (isStacked) return known.find((at) => value <= layers[at]![index]!) ?? known.at(-1)
  const distance = (at: number) => Math.abs(lines[at]!.values[index]! - value)
  return known.sort((a, b) => distance(a) - distance(b))[0]
}

function axis({ colors }: PlotOptions): uPlot.Axis {
  return {
    stroke: colors.text,
    font: '11px "Inter Variable", ui-sans-serif, system-ui, sans-serif',
    grid: { stroke: colors.grid, width: 1 },
    ticks: { show: false },
    gap: 4,
  }
}

/** Wide enough for the longest label. */
function measureAxis(_: uPlot, values: string[] | null): number {
  return 12 + Math.max(...(values ?? ['']).map((text) => text.length)) * 6.2
}

/** From here on, layers of a stack have lines between them, for people who cannot tell their colors apart. */
const MANY_LAYERS = 3

function toSeries({ colors, kind, lines }: PlotOptions, line: PlotLine): uPlot.Series {
  const isBar = kind === 'bar' && !line.isReference
  const isOutlined = isBar && lines.length >= MANY_LAYERS
  const faint = line.isFaint.some(Boolean)
  return {
    stroke: isOutlined ? colors.surface : line.color,
    width: isBar ? Number(isOutlined) : 1.5,
    ...(!isBar && line.dash.length > 0 && { dash: [...line.dash] }),
    ...(isBar && { fill: line.color, paths: uPlot.paths.bars!({ size: [0.86, 80], align: 1 }) }),
    points:
      isBar || line.isReference
        ? { show: false, filter: () => [] }
        : {
            size: 5,
            stroke: line.color,
            fill: faint ? colors.surface : line.color,
            // Points of few samples, and points without neighbors, which would not be visible as a line.
            filter: () =>
              line.values.flatMap((value, at) =>
                value !== null && (line.isFaint[at] || isAlone(line.values, at)) ? [at] : [],
              ),
          },
  }
}

function isAlone(values: readonly (number | null)[], at: number): boolean {
  return (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null
}

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }

/** Times if there are several per day, dates at midnight and for longer steps. */
function formatTimeLabels(splits: readonly number[], stepSeconds: number): string[] {
  return splits.map((seconds) => {
    const date = new Date(seconds * 1000)
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
    return stepSeconds >= 86_400 || isMidnight
      ? date.toLocaleDateString('en-US', { month: 'short', day: 'numeric' })
      : date.toLocaleTimeString('en-US', TIME)
  })
}

/**
 * Values to draw: in a stack each layer is the sum of itself and the layers below. A missing value adds nothing; a gap
 * remains where no layer has a value. References are not stacked.
 */
export function stackValues(
  lines: readonly { values: readonly (number | null)[]; isReference: boolean }[],
  isStacked: boolean,
): (readonly (number | null)[])[] {
  if (!isStacked) return lines.map(({ values }) => values)
  const sums: (number | null)[] = []
  return lines.map(({ values, isReference }) => {
    if (isReference) return values
    for (const [at, value] of values.entries()) {
      sums[at] = value === null ? (sums[at] ?? null) : (sums[at] ?? 0) + value
    }
    return [...sums]
  })
}

import 'uplot/dist/uPlot.min.css'
import uPlot from 'uplot'

/** One line or layer, in drawing colours. */
export interface PlotLine {
  colour: string
  values: readonly (number | null)[]
  /** Values of few samples, drawn as hollow points. */
  isFaint: readonly boolean[]
  isDashed: boolean
}

export interface PlotOptions {
  kind: 'line' | 'bar'
  /** Layers on top of each other; dashed lines stay lines. */
  isStacked: boolean
  /** Starts of buckets in ms. */
  times: readonly number[]
  /** What the axis shows, in ms. */
  range: readonly [number, number]
  lines: readonly PlotLine[]
  colours: { text: string; grid: string; surface: string }
  format: (value: number) => string
  /** Plots of the same name share their crosshair. */
  sync: string
  width: number
  height: number
  onHover: (at: { index: number; x: number } | undefined) => void
  /** A click on a bucket, and the line that was meant. */
  onPick: (at: { index: number; line: number; x: number; y: number }) => void
  /** A stretch of time was drawn, in ms. */
  onZoom: (from: number, to: number) => void
}

export interface Plot {
  resize(width: number): void
  destroy(): void
}

/** Draws a plot into an element. The only file that knows which library draws. */
export function drawPlot(element: HTMLElement, options: PlotOptions): Plot {
  const { lines, times, kind } = options
  const layers = stack(lines, options.isStacked && kind === 'bar')
  // What lies on top of others is drawn after them: sums first, dashed lines last.
  const order = [...lines.keys()].sort((a, b) => Number(lines[a]!.isDashed) - Number(lines[b]!.isDashed) || b - a)
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
        { ...axis(options), values: (_, splits, __, ___, step) => timeLabels(splits, step), space: 64, size: 24 },
        { ...axis(options), values: (_, splits) => splits.map(options.format), space: 28, size: sizeOfAxis },
      ],
      series: [{}, ...order.map((at) => seriesOf(options, lines[at]!, kind === 'bar' && !lines[at]!.isDashed))],
      hooks: {
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
  // The crosshair of a neighbour moves ours too; what stands under the pointer is told here only.
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
    const line = lineAt(lines, layers, index, value, kind === 'bar' && options.isStacked)
    if (line === undefined) return
    const [left, top] = [plot.over.offsetLeft, plot.over.offsetTop]
    options.onPick({ index, line, x: event.clientX - box.left + left, y: event.clientY - box.top + top })
  })
  return {
    resize: (width) => plot.setSize({ width, height: options.height }),
    destroy: () => plot.destroy(),
  }
}

/** The layer a height lies in, or the line nearest to it. */
function lineAt(
  lines: readonly PlotLine[],
  layers: readonly (readonly (number | null)[])[],
  index: number,
  value: number,
  isStacked: boolean,
): number | undefined {
  const known = [...lines.keys()].filter((at) => !lines[at]!.isDashed && lines[at]!.values[index] != null)
  if (isStacked) return known.find((at) => value <= layers[at]![index]!) ?? known.at(-1)
  const distance = (at: number) => Math.abs(lines[at]!.values[index]! - value)
  return known.sort((a, b) => distance(a) - distance(b))[0]
}

function axis({ colours }: PlotOptions): uPlot.Axis {
  return {
    stroke: colours.text,
    font: '11px "Inter Variable", ui-sans-serif, system-ui, sans-serif',
    grid: { stroke: colours.grid, width: 1 },
    ticks: { show: false },
    gap: 4,
  }
}

/** As wide as its longest label. */
function sizeOfAxis(_: uPlot, values: string[] | null): number {
  return 12 + Math.max(...(values ?? ['']).map((text) => text.length)) * 6.2
}

function seriesOf({ colours }: PlotOptions, line: PlotLine, isBar: boolean): uPlot.Series {
  const faint = line.isFaint.some(Boolean)
  return {
    stroke: line.colour,
    width: isBar ? 0 : 1.5,
    ...(line.isDashed && { dash: [4, 4] }),
    ...(isBar && { fill: line.colour, paths: uPlot.paths.bars!({ size: [0.86, 80], align: 1 }) }),
    points:
      isBar || line.isDashed
        ? { show: false, filter: () => [] }
        : {
            size: 5,
            stroke: line.colour,
            fill: faint ? colours.surface : line.colour,
            // A value of few samples, and one without neighbours, which no line would show.
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

/** Hours where a day is wide, dates at midnight and where it is not. */
function timeLabels(splits: readonly number[], stepSeconds: number): string[] {
  return splits.map((seconds) => {
    const date = new Date(seconds * 1000)
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
    return stepSeconds >= 86_400 || isMidnight
      ? date.toLocaleDateString('en-US', { month: 'short', day: 'numeric' })
      : date.toLocaleTimeString('en-US', TIME)
  })
}

/**
 * Values as they are drawn: in a stack each layer is the sum of itself and those below it. Where a layer has no value it
 * adds nothing; where none has one there is a gap. Dashed lines stand on their own.
 */
export function stack(
  lines: readonly { values: readonly (number | null)[]; isDashed: boolean }[],
  isStacked: boolean,
): (readonly (number | null)[])[] {
  if (!isStacked) return lines.map(({ values }) => values)
  const sums: (number | null)[] = []
  return lines.map(({ values, isDashed }) => {
    if (isDashed) return values
    for (const [at, value] of values.entries()) {
      sums[at] = value === null ? (sums[at] ?? null) : (sums[at] ?? 0) + value
    }
    return [...sums]
  })
}

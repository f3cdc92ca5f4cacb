import { formatLatency } from '#lib/format.ts'
import { fromSqueezed, listTicks, type Squeeze, type TimeWindow, toFraction } from '../model/time-scale.ts'
import type { LaneView } from './visualization.ts'

/** The time in view, and the gaps that are squeezed in it. */
type AxisProps = Pick<LaneView, 'timeWindow' | 'width' | 'squeeze'>

/** Round times above the lane. */
export function TimeAxis(props: AxisProps) {
  const { timeWindow, width } = props
  return (
    <div aria-hidden className="relative h-full overflow-hidden">
      {marksOf(props).map(({ at, moment }) => (
        <span
          key={at}
          className="absolute inset-y-0 border-l border-border pl-1 text-meta tabular-nums text-fg-subtle"
          style={{ left: toFraction(timeWindow, at) * width }}
        >
          {toFraction(timeWindow, at) * width > width - 34
            ? ''
            : moment === 0
              ? '0'
              : formatLatency(moment / 1000).replace(/\.0+(?= )/, '')}
        </span>
      ))}
    </div>
  )
}

/** The same times as thin lines behind the rows, with breaks at squeezed time. */
export function TimeGrid(props: AxisProps) {
  const { timeWindow, width, squeeze } = props
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute inset-y-0 right-0 left-[var(--tree-width)] overflow-hidden"
    >
      {marksOf(props).map(({ at }) => (
        <span
          key={at}
          className="absolute inset-y-0 w-px bg-border/60"
          style={{ left: toFraction(timeWindow, at) * width }}
        />
      ))}
      {squeeze && <Breaks timeWindow={timeWindow} width={width} squeeze={squeeze} />}
    </div>
  )
}

/** Hatched stripes at squeezed idle time. */
export function Breaks({ timeWindow, width, squeeze }: { timeWindow: TimeWindow; width: number; squeeze: Squeeze }) {
  return squeeze.gaps.map((gap) => (
    <span
      key={gap.from}
      className="absolute inset-y-0 border-x border-border"
      style={{
        left: toFraction(timeWindow, gap.squeezedAt) * width,
        width: Math.max((gap.width / (timeWindow.to - timeWindow.from)) * width, 3),
        background: 'repeating-linear-gradient(135deg, var(--border) 0 2px, transparent 2px 5px)',
      }}
    />
  ))
}

/** Round times and their positions, which are not evenly spaced with squeezed gaps. */
function marksOf({ timeWindow, width, squeeze }: AxisProps): { at: number; moment: number }[] {
  const count = Math.max(width / 72, 2)
  if (!squeeze) return listTicks(timeWindow, count).map((at) => ({ at, moment: at }))
  const marks: { at: number; moment: number }[] = []
  for (const at of listTicks(timeWindow, count)) {
    // A break has no time.
    const isInBreak = squeeze.gaps.some((gap) => at >= gap.squeezedAt && at <= gap.squeezedAt + gap.width)
    if (!isInBreak) marks.push({ at, moment: Math.round(fromSqueezed(squeeze, at)) })
  }
  return marks
}

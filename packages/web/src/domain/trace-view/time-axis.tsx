import { formatLatency } from '#lib/format/format.ts'
import { type Squeeze, unsqueezed } from '#lib/trace-model/squeeze.ts'
import { fractionOf, type TimeWindow, ticks } from '#lib/trace-model/time-scale.ts'
import type { LaneView } from './trace-state.ts'

/** The time in view, and the gaps that are squeezed in it. */
type AxisProps = Pick<LaneView, 'window' | 'width' | 'squeeze'>

/** Round moments above the lane. */
export function TimeAxis(props: AxisProps) {
  const { window, width } = props
  return (
    <div aria-hidden className="relative h-full overflow-hidden">
      {marksOf(props).map(({ at, moment }) => (
        <span
          key={at}
          className="absolute inset-y-0 border-l border-border pl-1 text-meta tabular-nums text-fg-subtle"
          style={{ left: fractionOf(window, at) * width }}
        >
          {fractionOf(window, at) * width > width - 34
            ? ''
            : moment === 0
              ? '0'
              : formatLatency(moment / 1000).replace(/\.0+(?= )/, '')}
        </span>
      ))}
    </div>
  )
}

/** The same moments as hairlines behind the rows, and a break where time was squeezed. */
export function TimeGrid(props: AxisProps) {
  const { window, width, squeeze } = props
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute inset-y-0 right-0 left-[var(--tree-width)] overflow-hidden"
    >
      {marksOf(props).map(({ at }) => (
        <span
          key={at}
          className="absolute inset-y-0 w-px bg-border/60"
          style={{ left: fractionOf(window, at) * width }}
        />
      ))}
      {squeeze && <Breaks window={window} width={width} squeeze={squeeze} />}
    </div>
  )
}

/** Hatched stripes where idle time was left out. */
export function Breaks({ window, width, squeeze }: { window: TimeWindow; width: number; squeeze: Squeeze }) {
  return squeeze.gaps.map((gap) => (
    <span
      key={gap.from}
      className="absolute inset-y-0 border-x border-border"
      style={{
        left: fractionOf(window, gap.at) * width,
        width: Math.max((gap.width / (window.to - window.from)) * width, 3),
        background: 'repeating-linear-gradient(135deg, var(--border) 0 2px, transparent 2px 5px)',
      }}
    />
  ))
}

/** Round moments and where they are drawn; with squeezed gaps those are not evenly spaced. */
function marksOf({ window, width, squeeze }: AxisProps): { at: number; moment: number }[] {
  const count = Math.max(width / 72, 2)
  if (!squeeze) return ticks(window, count).map((at) => ({ at, moment: at }))
  const marks: { at: number; moment: number }[] = []
  for (const at of ticks(window, count)) {
    // A break has no moment of its own.
    const isInBreak = squeeze.gaps.some((gap) => at >= gap.at && at <= gap.at + gap.width)
    if (!isInBreak) marks.push({ at, moment: Math.round(unsqueezed(squeeze, at)) })
  }
  return marks
}

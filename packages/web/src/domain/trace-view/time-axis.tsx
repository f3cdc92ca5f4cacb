import { formatLatency } from '#lib/fmt.ts'
import { fractionOf, ticks } from '#lib/trace-model/time-scale.ts'
import type { LaneView } from './trace-state.ts'

/** Round moments above the lane. */
export function TimeAxis({ window, width }: LaneView) {
  return (
    <div aria-hidden className="relative h-full overflow-hidden">
      {ticks(window, Math.max(width / 90, 2)).map((at) => (
        <span
          key={at}
          className="absolute inset-y-0 border-l border-border pl-1 text-meta tabular-nums text-fg-subtle"
          style={{ left: fractionOf(window, at) * width }}
        >
          {at === 0 ? '0' : formatLatency(at / 1000)}
        </span>
      ))}
    </div>
  )
}

import { formatLatency } from '#lib/fmt.ts'
import { fractionOf, ticks } from '#lib/trace-model/time-scale.ts'
import type { LaneView } from './trace-state.ts'

/** Round moments above the lane. */
export function TimeAxis({ window, width }: Pick<LaneView, 'window' | 'width'>) {
  return (
    <div aria-hidden className="relative h-full overflow-hidden">
      {ticks(window, Math.max(width / 72, 2)).map((at) => (
        <span
          key={at}
          className="absolute inset-y-0 border-l border-border pl-1 text-meta tabular-nums text-fg-subtle"
          style={{ left: fractionOf(window, at) * width }}
        >
          {fractionOf(window, at) * width > width - 34
            ? ''
            : at === 0
              ? '0'
              : formatLatency(at / 1000).replace(/\.0+(?= )/, '')}
        </span>
      ))}
    </div>
  )
}

/** The same moments as hairlines behind the rows. */
export function TimeGrid({ window, width }: Pick<LaneView, 'window' | 'width'>) {
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute inset-y-0 right-0 left-[var(--tree-width)] overflow-hidden"
    >
      {ticks(window, Math.max(width / 72, 2)).map((at) => (
        <span
          key={at}
          className="absolute inset-y-0 w-px bg-border/60"
          style={{ left: fractionOf(window, at) * width }}
        />
      ))}
    </div>
  )
}

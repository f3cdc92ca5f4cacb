import { useState } from 'react'
import { useElementWidth } from './hooks.tsx'

export interface DayBar {
  /** `2026-01-31` */
  day: string
  value: number
  /** The formatted value. */
  text: string
}

const HEIGHT = 120
const GAP = 2

/** One bar per day. The arrow keys move between bars. Show a table with the same values beside it. */
export function DayBars({ label, bars }: { label: string; bars: readonly DayBar[] }) {
  const [box, width] = useElementWidth<HTMLDivElement>()
  const [at, setAt] = useState<number>()
  const peak = Math.max(...bars.map((bar) => bar.value), 0)
  const step = width / Math.max(bars.length, 1)
  const shown = at === undefined ? undefined : bars[at]
  const walk = (by: number) =>
    setAt((from) => Math.min(Math.max((from ?? bars.length - (by < 0 ? 0 : 1)) + by, 0), bars.length - 1))
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={bars.length}
      aria-valuenow={(at ?? bars.length - 1) + 1}
      aria-valuetext={describe(shown ?? bars.at(-1))}
      onKeyDown={(event) => {
        if (event.key === 'ArrowLeft') walk(-1)
        else if (event.key === 'ArrowRight') walk(1)
        else return
        event.preventDefault()
      }}
      onPointerLeave={() => setAt(undefined)}
      className="relative"
    >
      <svg width={width} height={HEIGHT} className="block" aria-hidden="true">
        {bars.map((bar, index) => {
          const height = peak === 0 ? 0 : Math.max((bar.value / peak) * (HEIGHT - 4), bar.value > 0 ? 2 : 0)
          return (
            <g key={bar.day} onPointerEnter={() => setAt(index)}>
              <rect
                x={index * step}
                y={0}
                width={step}
                height={HEIGHT}
                fill={index === at ? 'var(--hover)' : 'transparent'}
              />
              <rect
                x={index * step + GAP / 2}
                y={HEIGHT - height}
                width={Math.max(step - GAP, 1)}
                height={height}
                fill="var(--series-blue)"
              />
            </g>
          )
        })}
        <line x1={0} x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--border)" />
      </svg>
      <div className="mt-1 flex justify-between gap-4 text-meta text-fg-subtle">
        <span>{bars[0]?.day}</span>
        <span className="text-fg">{shown && describe(shown)}</span>
        <span>{bars.at(-1)?.day}</span>
      </div>
    </div>
  )
}

function describe(bar: DayBar | undefined): string {
  return bar ? `${bar.day}: ${bar.text}` : ''
}

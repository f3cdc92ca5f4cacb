import type { Run } from '@touchstone/sdk'

export interface TurnRailProps {
  turns: readonly Run[]
  /** First and last turn in view, from 0. */
  first: number
  last: number
  active: number
  onPick: (index: number) => void
}

/**
 * The whole conversation as a strip: a tick per turn, failed ones in red, what is in view shaded. For the pointer; the
 * keys j, k and e do the same.
 */
export function TurnRail({ turns, first, last, active, onPick }: TurnRailProps) {
  const count = Math.max(turns.length, 1)
  const failed = turns.flatMap((turn, at) => (turn.status === 'error' ? [at] : []))
  const ticks = (places: readonly number[], from: number, to: number) =>
    places.map((at) => `M${from} ${((at + 0.5) / count) * 1000}H${to}`).join('')
  const all = turns.length <= 400 ? ticks([...turns.keys()], 6, 14) : ''
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      role="img"
      aria-label={`${turns.length} turns, ${failed.length} failed`}
      onClick={({ clientY, currentTarget }) => {
        const { top, height } = currentTarget.getBoundingClientRect()
        onPick(Math.min(Math.max(Math.floor(((clientY - top) / height) * count), 0), turns.length - 1))
      }}
      className="hidden w-5 shrink-0 cursor-pointer border-l border-border bg-sunken sm:block"
    >
      <svg viewBox="0 0 20 1000" preserveAspectRatio="none" className="block size-full" aria-hidden="true">
        <rect
          x="0"
          width="20"
          y={(first / count) * 1000}
          height={Math.max(((last + 1 - first) / count) * 1000, 4)}
          className="fill-selected"
        />
        <path d={all} className="stroke-border-strong" strokeWidth="1" vectorEffect="non-scaling-stroke" />
        <path d={ticks(failed, 3, 17)} className="stroke-err" strokeWidth="3" vectorEffect="non-scaling-stroke" />
        <path d={ticks([active], 0, 20)} className="stroke-accent" strokeWidth="2" vectorEffect="non-scaling-stroke" />
      </svg>
    </div>
  )
}

import { cx } from '#lib/browser.ts'
import { formatScore } from '#lib/format.ts'
import { getSpread, type RepetitionDot } from './cell-scores.ts'

const LOOKS: Record<RepetitionDot['state'], string> = {
  better: 'bg-ok',
  worse: 'bg-err',
  same: 'bg-fg-subtle',
  error: 'rounded-none bg-err',
  running: 'border border-run',
  none: 'border border-border-strong',
}

export interface RepetitionDotsProps {
  dots: readonly RepetitionDot[]
  /** How many different outputs there are; undefined until they are loaded. */
  distinct: number | undefined
  shown: number | undefined
}

/** One dot per repetition, the spread of their scores, and how many outputs differ. */
export function RepetitionDots({ dots, distinct, shown }: RepetitionDotsProps) {
  if (dots.length < 2) return null
  const spread = getSpread(dots)
  const title = dots.map(
    ({ repetition, value, state }) => `${repetition + 1}: ${Number.isNaN(value) ? state : formatScore(value)}`,
  )
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-meta text-fg-muted" title={title.join(' · ')}>
      <span className="flex items-center gap-0.5" aria-hidden>
        {dots.map(({ repetition, state }) => (
          <span
            key={repetition}
            className={cx(
              'size-1.5 rounded-full',
              LOOKS[state],
              repetition === shown && 'outline outline-1 outline-offset-1 outline-accent',
            )}
          />
        ))}
      </span>
      <span className="sr-only">{title.join(', ')}</span>
      {spread > 0 && (
        <span className="tabular-nums text-warn" title="Largest minus smallest score of the repetitions">
          spread {formatScore(spread)}
        </span>
      )}
      {distinct !== undefined && (
        <span title="By the beginnings of the outputs">
          {distinct} distinct of {dots.length}
        </span>
      )}
    </span>
  )
}

import { ArrowDown, ArrowUp, CircleAlert, Equal } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cx } from '#lib/browser.ts'
import { formatScore } from '#lib/format.ts'
import type { Outcome } from '../logic/comparison-measures.ts'

export interface ScoreChipProps extends ComponentProps<'button'> {
  name: string
  /** `NaN` without a score. */
  value: number
  /** Value as text, for labels. */
  label?: string | undefined
  /** Difference to the baseline; `NaN` without one. */
  delta: number
  outcome: Outcome | undefined
  /** Whether its evaluator failed. */
  hasFailed?: boolean | undefined
}

/** A score with its difference to the baseline. Opens the records behind it. */
export function ScoreChip({ name, value, label, delta, outcome, hasFailed, className, ...rest }: ScoreChipProps) {
  const text = label ?? formatScore(value)
  return (
    <button
      type="button"
      title={describe(name, text, delta, outcome, hasFailed)}
      className={cx(
        'inline-flex h-6 min-w-0 max-w-full shrink-0 items-center gap-1 rounded-control px-1.5 text-meta tabular-nums hover:brightness-95',
        outcome === 'better' ? 'bg-add-bg' : outcome === 'worse' ? 'bg-del-bg' : 'bg-sunken',
        className,
      )}
      {...rest}
    >
      <span className="min-w-0 truncate text-fg-muted">{name}</span>
      {hasFailed ? (
        <span className="flex items-center gap-0.5 text-err">
          <CircleAlert size={11} aria-hidden />
          failed
        </span>
      ) : (
        <span dir="auto" className="max-w-24 truncate font-medium text-fg">
          {text}
        </span>
      )}
      {!Number.isNaN(delta) && <Delta delta={delta} outcome={outcome} />}
    </button>
  )
}

/** A difference to the baseline: arrow, sign and number, so that it does not depend on color. */
export function Delta({ delta, outcome }: { delta: number; outcome: Outcome | undefined }) {
  if (outcome === 'same')
    return (
      <span className="text-fg-subtle">
        <Equal size={11} aria-hidden />
        <span className="sr-only">same as the baseline</span>
      </span>
    )
  const Arrow = delta > 0 ? ArrowUp : ArrowDown
  return (
    <span className={cx('inline-flex items-center', outcome === 'worse' ? 'text-err' : 'text-ok')}>
      <Arrow size={11} aria-hidden />
      <span className="sr-only">{outcome}</span>
      {formatSigned(delta)}
    </span>
  )
}

/** A score difference with its sign: `+0.03`, `-0.10`. */
export function formatSigned(delta: number): string {
  return delta > 0 ? `+${formatScore(delta)}` : formatScore(delta)
}

function describe(name: string, text: string, delta: number, outcome: Outcome | undefined, hasFailed = false): string {
  if (hasFailed) return `${name}: the evaluator failed`
  const difference = Number.isNaN(delta)
    ? ''
    : `, ${outcome === 'same' ? 'same as the baseline' : `${outcome} by ${formatSigned(delta)}`}`
  return `${name} ${text}${difference}`
}

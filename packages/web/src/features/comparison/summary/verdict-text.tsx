import type { KeyComparison } from '@touchstone/sdk'
import { CircleHelp, TrendingDown, TrendingUp } from 'lucide-react'
import { cx } from '#lib/browser.ts'
import { describeVerdict } from '../logic/verdict.ts'

const TONES = { better: 'text-ok', worse: 'text-err', unclear: 'text-fg-muted' }

interface VerdictTextProps {
  comparison: KeyComparison
  /** Whether the page treats lower scores as better. */
  isLowerBetter: boolean
}

/** Whether an experiment is better than the baseline, in words. */
export function VerdictText({ comparison, isLowerBetter }: VerdictTextProps) {
  const isFlipped = comparison.is_lower_score_better !== isLowerBetter
  const { tone, text, explanation } = describeVerdict(comparison, { isFlipped })
  const isRise = (comparison.difference.mean ?? 0) > 0
  const Icon = tone === 'unclear' ? CircleHelp : isRise ? TrendingUp : TrendingDown
  return (
    <p title={explanation} className={cx('flex gap-1 text-row', TONES[tone])}>
      <Icon size={13} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0">{text}</span>
    </p>
  )
}

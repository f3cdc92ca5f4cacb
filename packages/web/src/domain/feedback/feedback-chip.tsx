import type { Feedback } from '@touchstone/sdk'
import { PenLine } from 'lucide-react'
import { findOriginalValue, formatFeedbackValue } from './feedback-values.ts'

/** One verdict in a few characters: its key, its score or label, and whether a person corrected it. */
export function FeedbackChip({ record }: { record: Feedback }) {
  const before = findOriginalValue(record)
  const mark = formatFeedbackValue(record)
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-1.5 rounded-control bg-sunken px-1.5 py-0.5 text-row">
      <span className="truncate text-fg-muted">{record.key}</span>
      {before !== undefined && (
        <s className="tabular-nums text-fg-muted">
          <span className="sr-only">was </span>
          {formatFeedbackValue(before)}
        </s>
      )}
      {mark !== '' && <span className="truncate font-medium tabular-nums text-fg">{mark}</span>}
      {before !== undefined && (
        <span className="flex shrink-0 items-center gap-1 text-accent">
          <PenLine size={11} aria-hidden />
          corrected
        </span>
      )}
    </span>
  )
}

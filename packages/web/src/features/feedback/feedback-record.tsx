import { Link } from '@tanstack/react-router'
import type { Feedback } from '@touchstone/sdk'
import { CircleAlert, Pencil, PenLine, ShieldAlert, Trash2 } from 'lucide-react'
import { formatAbsoluteTime, formatRelativeTime } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import { useNow } from '#ui/hooks.tsx'
import { Snippet } from '#ui/snippet.tsx'
import {
  describeAuthor,
  findEvaluatorRunId,
  findOriginalValue,
  findSuspectedInstructions,
  formatFeedbackValue,
  isFromEvaluator,
} from './feedback-values.ts'

export interface FeedbackRecordProps {
  record: Feedback
  /** Whether the user can open other runs of the workspace. @default false */
  mayOpen?: boolean
  /** Absent for users who cannot change it. */
  onEdit?: (() => void) | undefined
  onDelete?: (() => void) | undefined
}

/** One feedback record: value, comment, correction, author and time. */
export function FeedbackRecord({ record, mayOpen = false, onEdit, onDelete }: FeedbackRecordProps) {
  const now = useNow(10_000)
  const evaluatorRun = findEvaluatorRunId(record)
  const change = isFromEvaluator(record) ? 'Correct' : 'Edit'
  const suspected = findSuspectedInstructions(record)
  return (
    <article aria-label={`Feedback ${record.key}`} className="rounded-card border border-border bg-surface px-3 py-2">
      <header className="flex min-w-0 items-center gap-2">
        <FeedbackChip record={record} />
        {record.error && (
          <span className="flex items-center gap-1 text-row text-err">
            <CircleAlert size={13} aria-hidden />
            Evaluator failed
          </span>
        )}
        <span className="ml-auto flex shrink-0">
          {onEdit && <IconButton icon={Pencil} label={`${change} ${record.key}`} onClick={onEdit} />}
          {onDelete && <IconButton icon={Trash2} label={`Delete ${record.key}`} onClick={onDelete} />}
        </span>
      </header>
      {record.comment && (
        <p dir="auto" className="whitespace-pre-wrap break-words py-1 text-form">
          {record.comment}
        </p>
      )}
      {suspected !== undefined && (
        <p className="flex items-baseline gap-1 py-1 text-row text-warn [overflow-wrap:anywhere]">
          <ShieldAlert size={13} aria-hidden className="shrink-0 translate-y-0.5" />
          <span>
            The judged text may contain instructions for the judge: “<bdi>{suspected}</bdi>”
          </span>
        </p>
      )}
      <Correction record={record} />
      <footer className="flex flex-wrap gap-x-3 text-meta text-fg-muted">
        <span>{describeAuthor(record)}</span>
        {record.created_at !== undefined && (
          <time dateTime={record.created_at} title={formatAbsoluteTime(record.created_at)}>
            {formatRelativeTime(record.created_at, now)}
          </time>
        )}
        {mayOpen && evaluatorRun !== undefined && (
          <Link to="/go/$id" params={{ id: evaluatorRun }} className="text-accent hover:underline">
            Evaluator trace
          </Link>
        )}
      </footer>
    </article>
  )
}

/** A correction that contains the expected output rather than another score. */
function Correction({ record }: { record: Feedback }) {
  const { correction } = record
  if (correction === null || correction === undefined || findOriginalValue(record) !== undefined) return null
  const text = typeof correction === 'string' ? correction : JSON.stringify(correction, null, 2)
  return (
    <div className="py-1">
      <Snippet label="Correction" text={text} />
    </div>
  )
}

/** Feedback in one line: its key, its score or label, and whether a person corrected it. */
function FeedbackChip({ record }: { record: Feedback }) {
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
          Corrected
        </span>
      )}
    </span>
  )
}

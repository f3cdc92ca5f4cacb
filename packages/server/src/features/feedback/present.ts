import type { Feedback } from '@touchstone/contract'
import { isObjectText, splitMembers } from '@touchstone/formats/cut-json'
import { addRawMembers, printObject } from '@touchstone/formats/write-object'
import { printedTime } from '../../storage/analytics/sql.ts'
import { type FeedbackRow, NO_RUN } from './feedback-row.ts'

type RawField = 'value' | 'correction' | 'feedback_source' | 'feedback_config' | 'extra'

/** A record as JSON text; fields of users keep their raw JSON. */
export function presentFeedback(row: FeedbackRow): string {
  const runId = row.run_id === NO_RUN ? null : row.run_id
  const feedback: Omit<Feedback, RawField> = {
    id: row.id,
    created_at: printedTime(row.created_at),
    modified_at: printedTime(row.modified_at),
    run_id: runId,
    trace_id: row.trace_id,
    session_id: row.session_id,
    start_time: row.start_time === null ? null : printedTime(row.start_time),
    is_root: runId !== null && runId === row.trace_id,
    key: row.key,
    score: row.score,
    comment: row.comment,
    comparative_experiment_id: row.comparative_experiment_id,
    feedback_group_id: row.feedback_group_id,
    feedback_thread_id: row.feedback_thread_id || null,
    error: row.error === 1,
  }
  const raw: Record<RawField, string> = {
    value: row.value,
    correction: row.correction,
    feedback_source: completeSource(row.feedback_source),
    feedback_config: row.feedback_config,
    extra: row.extra,
  }
  return addRawMembers(feedback, raw)
}

/** Adds missing members: clients require all members of the source. */
function completeSource(stored: string): string {
  const source = new Map([
    ['type', '"api"'],
    ['metadata', '{}'],
    ['user_id', 'null'],
    ['user_name', 'null'],
  ])
  for (const [key, value] of isObjectText(stored) ? splitMembers(stored) : []) {
    if (value !== 'null') source.set(key, value)
  }
  return printObject(source)
}

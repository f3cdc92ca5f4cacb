import { ApiError, FeedbackCreate, type FieldProblem, MAX_FEEDBACK_TEXT } from '@touchstone/contract'
import { isObjectText, splitMembers } from '../../json/cut-json.ts'
import { columnTime } from '../../storage/analytics/sql.ts'
import { type FeedbackChanges, type NewFeedback, NO_RUN } from './feedback-row.ts'

/** Feedback with the JSON text it was parsed from, from which its raw payloads are cut. */
export interface GivenFeedback {
  readonly body: FeedbackCreate
  readonly text: string
}

/**
 * Reads a feedback object that travelled with runs. Its ids are those inside the object, never the part's name.
 *
 * @throws ApiError INVALID_REQUEST with a sentence that names the field
 */
export function parseFeedback(text: string): GivenFeedback {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const says = `feedback is not valid JSON: ${(error as SyntaxError).message.slice(0, 200)}`
    throw new ApiError('INVALID_REQUEST', says, { cause: error })
  }
  if (!isObjectText(text)) throw new ApiError('INVALID_REQUEST', 'feedback is not a JSON object')
  const parsed = FeedbackCreate.safeParse(value)
  if (parsed.success) return { body: parsed.data, text }
  const sentences = parsed.error.issues.map((issue) => `feedback.${issue.path.join('.')} ${issue.message}`)
  throw new ApiError('INVALID_REQUEST', sentences.join('; '))
}

/**
 * The row of feedback as given.
 *
 * @throws ApiError INVALID_REQUEST when a JSON field is too large
 * @see contract/tracing.md §7.1
 */
export function normalizeFeedback({ body, text }: GivenFeedback, newId: () => string): NewFeedback {
  const members = splitMembers(text)
  const time = (printed: string | null | undefined) => (printed == null ? null : columnTime(printed))
  return {
    id: body.id ?? newId(),
    run_id: body.run_id ?? NO_RUN,
    key: body.key,
    session_id: body.session_id ?? null,
    trace_id: body.trace_id ?? null,
    start_time: time(body.start_time),
    score: body.score ?? null,
    value: jsonOf(members, 'value'),
    label: labelOf(body.value),
    comment: body.comment ?? null,
    correction: jsonOf(members, 'correction'),
    feedback_source: jsonOf(members, 'feedback_source') || '{"type":"api"}',
    source_type: (body.feedback_source?.type || 'api').toLowerCase(),
    feedback_config: jsonOf(members, 'feedback_config') || jsonOf(members, 'feedbackConfig'),
    comparative_experiment_id: body.comparative_experiment_id ?? null,
    feedback_group_id: body.feedback_group_id ?? null,
    feedback_thread_id: body.feedback_thread_id ?? '',
    error: body.error === true ? 1 : 0,
    extra: jsonOf(members, 'extra'),
    created_at: time(body.created_at),
    modified_at: time(body.modified_at),
  }
}

/**
 * What an update changes: the fields that it gives. An explicit null clears a field; an absent field stays as it is.
 *
 * @param members  the JSON text of each member of the body, out of which values are cut unchanged
 * @see contract/clients-2026-11.md §6.1
 */
export function normalizeChanges(
  body: Partial<Pick<FeedbackCreate, 'score' | 'value' | 'comment'>>,
  members: ReadonlyMap<string, string>,
): FeedbackChanges {
  return {
    ...(body.score !== undefined && { score: body.score }),
    ...(members.has('value') && { value: jsonOf(members, 'value'), label: labelOf(body.value) }),
    ...(body.comment !== undefined && { comment: body.comment }),
    ...(members.has('correction') && { correction: jsonOf(members, 'correction') }),
    ...(members.has('feedback_config') && { feedback_config: jsonOf(members, 'feedback_config') }),
  }
}

/** Plain text of a value, as filters compare it; objects have none. */
export function labelOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : ''
}

/** Text of a member, '' when it is absent or null. */
function jsonOf(members: ReadonlyMap<string, string>, field: string): string {
  const text = members.get(field)
  if (text === undefined || text === 'null') return ''
  if (text.length <= MAX_FEEDBACK_TEXT) return text
  const msg = `has ${text.length} characters of JSON, more than ${MAX_FEEDBACK_TEXT}`
  const problems: FieldProblem[] = [{ loc: ['body', field], msg, type: 'too_big' }]
  throw new ApiError('INVALID_REQUEST', `feedback.${field} ${msg}`, { problems })
}

import {
  ApiError,
  type FeedbackConfig,
  FeedbackCreate,
  type FieldProblem,
  findRepairedTexts,
  MAX_FEEDBACK_TEXT,
} from '@touchstone/contract'
import { isObjectText, splitMembers } from '@touchstone/formats/cut-json'
import { repairNumbers } from '@touchstone/formats/repair-numbers'
import { printObject } from '@touchstone/formats/write-object'
import type { Deps } from '../../deps.ts'
import { columnTime } from '../../storage/analytics/sql.ts'
import { type ConfigDeps, insertMissingConfigs, selectConfigsByKey } from './configs/configs.ts'
import { type FeedbackChanges, type NewFeedback, NO_RUN } from './feedback-row.ts'

/** Feedback with the JSON text it was parsed from, from which its raw payloads are cut. */
export interface GivenFeedback {
  readonly body: FeedbackCreate
  readonly text: string
  /** Fields that are stored otherwise than they were sent. */
  readonly repaired?: readonly string[]
  /** Id of the person or key that gives it; recorded for feedback from the app. */
  readonly authorId?: string | undefined
}

/**
 * Parses a feedback object that was sent with runs. Its ids are those inside the object, never the name of the part.
 *
 * @throws ApiError INVALID_REQUEST with a message that names the field
 */
export function parseFeedback(text: string): GivenFeedback {
  const given = parseOrRepair(text)
  if (!isObjectText(given.text)) throw new ApiError('INVALID_REQUEST', 'feedback is not a JSON object')
  const parsed = FeedbackCreate.safeParse(given.value)
  if (parsed.success) {
    const repaired = [...given.repaired, ...findRepairedTexts(given.value, parsed.data)]
    return { body: parsed.data, text: given.text, repaired }
  }
  const sentences = parsed.error.issues.map((issue) => `feedback.${issue.path.join('.')} ${issue.message}`)
  throw new ApiError('INVALID_REQUEST', sentences.join('; '))
}

function parseOrRepair(text: string) {
  try {
    return { text, value: JSON.parse(text) as unknown, repaired: [] }
  } catch (error) {
    const repaired = repairNumbers(text)
    try {
      if (repaired !== undefined) {
        return { text: repaired.text, value: JSON.parse(repaired.text) as unknown, repaired: repaired.fields }
      }
    } catch {
      // The problem of the text as sent is reported.
    }
    const message = `feedback is not valid JSON: ${(error as SyntaxError).message.slice(0, 200)}`
    throw new ApiError('INVALID_REQUEST', message, { cause: error })
  }
}

/**
 * The row of feedback as given.
 *
 * @throws ApiError INVALID_REQUEST when a JSON field is too large
 */
export function normalizeFeedback({ body, text, authorId }: GivenFeedback, newId: () => string): NewFeedback {
  const members = splitMembers(text)
  const source = readMember(members, 'feedback_source') || '{"type":"api"}'
  const source_type = (body.feedback_source?.type || 'api').toLowerCase()
  const time = (printed: string | null | undefined) => (printed == null ? null : columnTime(printed))
  return {
    id: body.id ?? newId(),
    run_id: body.run_id ?? NO_RUN,
    key: body.key,
    session_id: body.session_id ?? null,
    trace_id: body.trace_id ?? null,
    start_time: time(body.start_time),
    score: body.score ?? null,
    value: readValue(members, 'value', body.value),
    label: toLabel(body.value),
    comment: body.comment ?? null,
    correction: readValue(members, 'correction', body.correction),
    feedback_source: source_type === 'app' ? addAuthor(source, authorId) : source,
    source_type,
    feedback_config: readMember(members, 'feedback_config') || readMember(members, 'feedbackConfig'),
    comparative_experiment_id: body.comparative_experiment_id ?? null,
    feedback_group_id: body.feedback_group_id ?? null,
    feedback_thread_id: body.feedback_thread_id ?? '',
    error: body.error === true ? 1 : 0,
    extra: readMember(members, 'extra'),
    created_at: time(body.created_at),
    modified_at: time(body.modified_at),
  }
}

/** Names the author of feedback from the app, whatever the sender claims, so that reviewers can be distinguished. */
function addAuthor(source: string, authorId: string | undefined): string {
  return printObject(splitMembers(source).set('user_id', JSON.stringify(authorId ?? null)))
}

/**
 * The changes of an update. An explicit null clears a field; an absent field stays the same.
 *
 * @param members  the raw JSON of each member of the body
 */
export function normalizeChanges(
  body: Partial<Pick<FeedbackCreate, 'score' | 'value' | 'comment' | 'correction'>>,
  members: ReadonlyMap<string, string>,
): FeedbackChanges {
  return {
    ...(body.score !== undefined && { score: body.score }),
    ...(members.has('value') && { value: readValue(members, 'value', body.value), label: toLabel(body.value) }),
    ...(body.comment !== undefined && { comment: body.comment }),
    ...(members.has('correction') && { correction: readValue(members, 'correction', body.correction) }),
    ...(members.has('feedback_config') && { feedback_config: readMember(members, 'feedback_config') }),
  }
}

/** Plain text of a value, as filters compare it; '' for objects. */
export function toLabel(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : ''
}

/** JSON of a field as it was sent, unless the field is a text that was repaired: the label of a value must equal it. */
function readValue(members: ReadonlyMap<string, string>, field: string, value: unknown): string {
  const text = readMember(members, field)
  if (typeof value !== 'string' || JSON.parse(text) === value) return text
  return JSON.stringify(value)
}

/** Raw JSON of a member, '' when it is absent or null. */
function readMember(members: ReadonlyMap<string, string>, field: string): string {
  const text = members.get(field)
  if (text === undefined || text === 'null') return ''
  if (text.length <= MAX_FEEDBACK_TEXT) return text
  const msg = `has ${text.length} characters of JSON, more than ${MAX_FEEDBACK_TEXT}`
  const problems: FieldProblem[] = [{ loc: ['body', field], msg, type: 'too_big' }]
  throw new ApiError('INVALID_REQUEST', `feedback.${field} ${msg}`, { problems })
}

export type PrepareDeps = ConfigDeps & Pick<Deps, 'ids'>

/**
 * Rows of given feedback. A config that was sent with feedback becomes the config of its key if the key has none.
 * Categorical feedback is completed: the label of its score, or the score of its label.
 *
 * @throws ApiError INVALID_REQUEST when a field is too large
 */
export async function prepareFeedback(
  deps: PrepareDeps,
  tenantId: string,
  given: readonly GivenFeedback[],
): Promise<NewFeedback[]> {
  const rows = given.map((one) => normalizeFeedback(one, deps.ids))
  const noted = new Map<string, FeedbackConfig>()
  for (const { body } of given) {
    const config = body.feedback_config ?? body.feedbackConfig
    if (config != null && !noted.has(body.key)) noted.set(body.key, config)
  }
  if (noted.size > 0) await insertMissingConfigs(deps, tenantId, noted)
  const halves = rows.filter(isIncomplete).map((row) => row.key)
  const configs = await selectConfigsByKey(deps, tenantId, halves)
  return rows.map((row) => ({ ...row, ...findMissingPart(row, configs.get(row.key)) }))
}

/** Completes the changes to a record with the missing score or label; cleared fields stay cleared. */
export async function completeChanges(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  key: string,
  changes: FeedbackChanges,
): Promise<FeedbackChanges> {
  const half = { score: changes.score ?? null, value: changes.value ?? '', label: changes.label ?? '' }
  const isClearing = changes.score === null || changes.value === ''
  if (isClearing || !isIncomplete(half)) return changes
  const config = (await selectConfigsByKey(deps, tenantId, [key])).get(key)
  return { ...changes, ...findMissingPart(half, config) }
}

type Assessment = Pick<NewFeedback, 'score' | 'value' | 'label'>

/** Whether there is a score without a value, or a label without a score. */
function isIncomplete({ score, value, label }: Assessment): boolean {
  return score === null ? label !== '' : value === ''
}

function findMissingPart(row: Assessment, config: FeedbackConfig | undefined): Partial<Assessment> {
  if (config?.type !== 'categorical' || !isIncomplete(row)) return {}
  if (row.score === null) {
    const category = config.categories?.find(({ label }) => label === row.label)
    return category === undefined ? {} : { score: category.value }
  }
  const label = config.categories?.find(({ value }) => value === row.score)?.label
  return label == null ? {} : { value: JSON.stringify(label), label }
}

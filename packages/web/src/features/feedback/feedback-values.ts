import type { Feedback, FeedbackConfig, ThreadSummary } from '@touchstone/sdk'
import { changesOf } from '#lib/changes.ts'
import { formatScore } from '#lib/format.ts'

/** Value of a feedback form. */
export interface FeedbackValue {
  score?: number | undefined
  value?: string | undefined
}

/** What a feedback form edits. */
export interface FeedbackContent {
  score: number | undefined
  value: string | undefined
  comment: string
}

/** The part of a record that a form edits; a value that is no text stays as it is. */
export function toContent({ score, value, comment }: Feedback): FeedbackContent {
  return {
    score: score === null || score === undefined ? undefined : Number(score),
    value: typeof value === 'string' ? value : undefined,
    comment: comment ?? '',
  }
}

/** The change that makes a record what was entered, and what it is based on; undefined without a difference. */
export function buildChange(record: Feedback, { score, value, comment }: FeedbackContent) {
  const before = toContent(record)
  const toFields = (content: FeedbackContent) => ({
    score: content.score ?? null,
    value: content.value ?? null,
    comment: content.comment.trim(),
  })
  const { changes, expected } = changesOf(toFields({ score, value, comment }), toFields(before), record)
  if (Object.keys(changes).length === 0) return undefined
  const isMarked = 'score' in changes || 'value' in changes
  const correction = isMarked ? buildCorrection(record, { score, value }) : undefined
  if (correction === undefined) return { ...changes, expected }
  return { ...changes, correction, expected: { ...expected, correction: record.correction ?? null } }
}

/** Formats feedback as one short text: the label, else the score; empty if there is neither. */
export function formatFeedbackValue({ score, value }: Pick<Feedback, 'score' | 'value'>): string {
  const label = printValue(value)
  const number = typeof score === 'number' ? formatScore(score) : typeof score === 'boolean' ? String(score) : ''
  if (label === '') return number
  return number === '' || Number(label) === score ? label : `${label} (${number})`
}

/** Figures of the feedback with one key. */
export type FeedbackFigures = ThreadSummary['feedback_stats'][string]

/** Formats figures as one short text: the mean score, else the most frequent label, else the number of records. */
export function formatFeedbackFigures({ avg, n, values }: Pick<FeedbackFigures, 'avg' | 'n' | 'values'>): string {
  if (typeof avg === 'number') return formatScore(avg)
  const [label] = Object.entries(values ?? {}).sort(([, one], [, other]) => other - one)
  return label === undefined ? `×${n}` : label[0]
}

function printValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The value given by the evaluator before a person corrected it; undefined without a correction. */
export function findOriginalValue({ correction }: Feedback): FeedbackValue | undefined {
  if (typeof correction !== 'object' || correction === null || !('original' in correction)) return undefined
  const { original } = correction
  return typeof original === 'object' && original !== null ? (original as FeedbackValue) : undefined
}

/**
 * Builds the correction to store when a person changes the value of an evaluator. It contains the new value and the
 * evaluator's first value, also after several corrections. Undefined if the value is unchanged or was given by a
 * person.
 */
export function buildCorrection(record: Feedback, mark: FeedbackValue) {
  const isSame = mark.score === (record.score ?? undefined) && mark.value === (record.value ?? undefined)
  if (isSame || !isFromEvaluator(record)) return undefined
  const original = findOriginalValue(record) ?? { score: record.score ?? undefined, value: record.value ?? undefined }
  return { ...mark, original }
}

/** Whether a program gave the feedback, so that a change by a person is a correction. */
export function isFromEvaluator({ feedback_source: source }: Feedback): boolean {
  return source?.type === 'model' || source?.type === 'auto_eval'
}

/** Id of the evaluator's run, whose trace explains the value. */
export function findEvaluatorRunId({ feedback_source: source }: Feedback): string | undefined {
  const run = (source?.metadata as { __run?: { run_id?: unknown } } | null | undefined)?.__run
  return typeof run?.run_id === 'string' ? run.run_id : undefined
}

/** The passage of the judged text that reads like an instruction for the judge, which may have followed it. */
export function findSuspectedInstructions({ feedback_source: source }: Feedback): string | undefined {
  const found = (source?.metadata as { suspected_instructions?: unknown } | null | undefined)?.suspected_instructions
  return typeof found === 'string' ? found : undefined
}

const SOURCES: Record<string, string> = {
  api: 'API',
  app: 'Person',
  model: 'Evaluator',
  auto_eval: 'Online evaluator',
}

/** Describes the author of the feedback as far as it is recorded. */
export function describeAuthor({ feedback_source: source }: Feedback): string {
  const named = (source as { user_name?: unknown } | null | undefined)?.user_name
  const kind = SOURCES[source?.type ?? 'api'] ?? source?.type ?? 'API'
  return typeof named === 'string' && named !== '' ? `${kind} · ${named}` : kind
}

/** Returns why a value does not fit the configuration of its key; undefined if it fits. */
export function validateFeedbackValue(
  { score, value }: FeedbackValue,
  config: FeedbackConfig | undefined,
): string | undefined {
  if (score !== undefined && !Number.isFinite(score)) return 'The score must be a number.'
  if (config?.type === 'categorical' && score === undefined) return 'Select a category.'
  if (config?.type === 'freeform' && !value?.trim()) return 'Enter a value.'
  if (config?.type !== 'continuous') return undefined
  if (score === undefined) return 'Enter a score.'
  const { min, max } = config
  if (min != null && score < min) return `The score must be at least ${min}.`
  if (max != null && score > max) return `The score must be at most ${max}.`
  return undefined
}

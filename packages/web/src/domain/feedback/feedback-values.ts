import type { Feedback, FeedbackConfig } from '@touchstone/sdk'
import { formatScore } from '#lib/format/format.ts'

/** A verdict in the making. */
export interface FeedbackValue {
  score?: number | undefined
  value?: string | undefined
}

/** The verdict of a record as one short text: the label, else the score, else what was said instead; empty for none. */
export function formatFeedbackValue({ score, value }: Pick<Feedback, 'score' | 'value'>): string {
  const label = printValue(value)
  const number = typeof score === 'number' ? formatScore(score) : typeof score === 'boolean' ? String(score) : ''
  if (label === '') return number
  return number === '' || Number(label) === score ? label : `${label} (${number})`
}

function printValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What an evaluator had said before a person corrected it; undefined where nobody did. */
export function findOriginalValue({ correction }: Feedback): FeedbackValue | undefined {
  if (typeof correction !== 'object' || correction === null || !('original' in correction)) return undefined
  const { original } = correction
  return typeof original === 'object' && original !== null ? (original as FeedbackValue) : undefined
}

/**
 * The correction to store beside an evaluator's changed verdict: what a person says, and what stood there at first,
 * however often it is corrected. Undefined where the verdict stays, or was a person's.
 */
export function buildCorrection(record: Feedback, mark: FeedbackValue) {
  const isSame = mark.score === (record.score ?? undefined) && mark.value === (record.value ?? undefined)
  if (isSame || !isFromEvaluator(record)) return undefined
  const original = findOriginalValue(record) ?? { score: record.score ?? undefined, value: record.value ?? undefined }
  return { ...mark, original }
}

/** Whether a program judged, so that a person who changes its verdict corrects it. */
export function isFromEvaluator({ feedback_source: source }: Feedback): boolean {
  return source?.type === 'model' || source?.type === 'auto_eval'
}

/** The run of the evaluator that judged, whose trace says why. */
export function findEvaluatorRunId({ feedback_source: source }: Feedback): string | undefined {
  const run = (source?.metadata as { __run?: { run_id?: unknown } } | null | undefined)?.__run
  return typeof run?.run_id === 'string' ? run.run_id : undefined
}

const SOURCES: Record<string, string> = {
  api: 'API',
  app: 'Person',
  model: 'Evaluator',
  auto_eval: 'Online evaluator',
}

/** Who said it, as far as is known. */
export function describeAuthor({ feedback_source: source }: Feedback): string {
  const named = (source as { user_name?: unknown } | null | undefined)?.user_name
  const kind = SOURCES[source?.type ?? 'api'] ?? source?.type ?? 'API'
  return typeof named === 'string' && named !== '' ? `${kind} · ${named}` : kind
}

/** Why a mark does not fit what its key asks for; undefined when it does. */
export function validateFeedbackValue(
  { score, value }: FeedbackValue,
  config: FeedbackConfig | undefined,
): string | undefined {
  if (score !== undefined && !Number.isFinite(score)) return 'The score is not a number.'
  if (config?.type === 'categorical' && score === undefined) return 'Choose one.'
  if (config?.type === 'freeform' && !value?.trim()) return 'Say something.'
  if (config?.type !== 'continuous') return undefined
  if (score === undefined) return 'Give a score.'
  const { min, max } = config
  if (min != null && score < min) return `The lowest score is ${min}.`
  if (max != null && score > max) return `The highest score is ${max}.`
  return undefined
}

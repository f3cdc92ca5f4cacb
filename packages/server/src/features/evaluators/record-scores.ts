import type { Caller } from '../../http/serve.ts'
import { isFinal, type RecordRuns, toStableId } from '../model-jobs/index.ts'
import type { EvaluatorReference, Judgement } from './judge-row.ts'

/** @returns why scores were refused; the others are stored */
export async function recordFeedback(
  deps: { readonly recordRuns: RecordRuns },
  caller: Caller,
  feedback: FeedbackTexts,
): Promise<string[]> {
  if (feedback.length === 0) return []
  try {
    const { errors = [] } = await deps.recordRuns(caller, { runs: [], feedback })
    return errors.map(({ error }) => `A score could not be recorded: ${error}`)
  } catch (error) {
    if (!isFinal(error)) throw error
    return [`The scores could not be recorded: ${error.message}`]
  }
}

export type FeedbackTexts = Parameters<RecordRuns>[1]['feedback']

/** Ids are derived, so that the same judgement is stored once. */
export function toFeedback(
  run: Readonly<Record<string, unknown>>,
  evaluator: EvaluatorReference,
  { scores, suspected_instructions }: Pick<Judgement, 'scores' | 'suspected_instructions'>,
): FeedbackTexts {
  // A mark for readers: the score may be what the judged text asked for.
  const mark = suspected_instructions === null ? {} : { suspected_instructions }
  return scores.map(({ key, score, value, comment }) => {
    const { evaluator_id, version } = evaluator
    const feedback = {
      id: toStableId('feedback', String(run.id), evaluator_id, version ?? 0, key),
      run_id: run.id,
      trace_id: run.id,
      session_id: run.session_id,
      start_time: run.start_time,
      key,
      score,
      value,
      comment,
      feedback_source: { type: 'model', metadata: { evaluator_id, evaluator_version: version, ...mark } },
    }
    return { name: String(run.id), text: JSON.stringify(feedback) }
  })
}

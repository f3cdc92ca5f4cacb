import type { Client } from '../client.ts'
import type { EvaluationResult } from '../resources/feedback.ts'
import type { Feedback, Run, TracerSession } from '../schemas.ts'
import { keysOfEvaluator, nameOfEvaluator } from './evaluator.ts'
import type { EvaluatorT } from './types.ts'

/** A run of the target that an earlier process has finished, and what was thought of it. */
export interface FinishedRun {
  run: Run
  results: EvaluationResult[]
  /** Names of the evaluators behind the results. */
  judges: ReadonlySet<string>
}

/** Runs whose feedback is asked for in one request. */
const BATCH = 100

/**
 * The finished runs of an experiment by example, oldest first: the n-th is the n-th repetition, whoever made it.
 * A run that was interrupted never ended and does not count.
 */
export async function findFinishedRuns(client: Client, experiment: TracerSession): Promise<Map<string, FinishedRun[]>> {
  const runs: Run[] = []
  for await (const run of client.listRuns({ projectId: experiment.id, isRoot: true, order: 'asc' })) {
    if (run.end_time && run.reference_example_id) runs.push(run)
  }
  const feedback = await feedbackByRun(client, runs)
  const found = new Map<string, FinishedRun[]>()
  for (const run of runs) {
    const given = feedback.get(run.id) ?? []
    const known = found.get(run.reference_example_id!) ?? []
    known.push({ run, results: given.map(resultOf), judges: new Set(given.flatMap(judgeOf)) })
    found.set(run.reference_example_id!, known)
  }
  return found
}

/** True when the evaluator's verdict on the run is there already. */
export function hasJudged(evaluator: EvaluatorT, { judges, results }: FinishedRun): boolean {
  if (judges.has(nameOfEvaluator(evaluator))) return true
  const keys = new Set(results.map(({ key }) => key))
  return keysOfEvaluator(evaluator).every((key) => keys.has(key))
}

async function feedbackByRun(client: Client, runs: readonly Run[]): Promise<Map<string, Feedback[]>> {
  const found = new Map<string, Feedback[]>()
  for (let from = 0; from < runs.length; from += BATCH) {
    const runIds = runs.slice(from, from + BATCH).map(({ id }) => id)
    for await (const feedback of client.listFeedback({ runIds })) {
      // What was said about a pair of experiments is no score of this one.
      if (feedback.comparative_experiment_id || !feedback.run_id) continue
      found.set(feedback.run_id, [feedback, ...(found.get(feedback.run_id) ?? [])])
    }
  }
  return found
}

function judgeOf({ feedback_source }: Feedback): string[] {
  const name: unknown = feedback_source?.metadata?.evaluator
  return typeof name === 'string' ? [name] : []
}

function resultOf({ key, score, value, comment, feedback_source }: Feedback): EvaluationResult {
  const runId: unknown = feedback_source?.metadata?.__run?.run_id
  return {
    key,
    ...(score != null && { score }),
    ...(value != null && { value }),
    ...(comment != null && { comment }),
    ...(typeof runId === 'string' && { sourceRunId: runId }),
  }
}

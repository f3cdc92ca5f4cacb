import type { Client } from '../client.ts'
import type { EvaluationResult } from '../resources/feedback.ts'
import type { Feedback, Run, TracerSession } from '../schemas.ts'
import { appendTo } from './append-to.ts'
import { getEvaluatorKeys, getEvaluatorName } from './evaluator.ts'
import type { EvaluatorT } from './types.ts'

/** A finished run of the target from an earlier process, with its feedback. */
export interface FinishedRun {
  run: Run
  results: EvaluationResult[]
  /** Names of the evaluators that produced the results. */
  evaluatorNames: ReadonlySet<string>
}

/** Runs per feedback request. */
const BATCH = 100

/**
 * Finished runs of an experiment by example id, oldest first: the n-th run is the n-th repetition. Interrupted runs
 * have no end time and do not count.
 */
export async function findFinishedRuns(client: Client, experiment: TracerSession): Promise<Map<string, FinishedRun[]>> {
  const runs: (Run & { reference_example_id: string })[] = []
  for await (const run of client.listRuns({ projectId: experiment.id, isRoot: true, order: 'asc' })) {
    const { end_time, reference_example_id } = run
    if (end_time && reference_example_id) runs.push({ ...run, reference_example_id })
  }
  const feedback = await loadFeedbackByRun(client, runs)
  const found = new Map<string, FinishedRun[]>()
  for (const run of runs) {
    // Listed from the latest, and needed from the earliest.
    const given = (feedback.get(run.id) ?? []).toReversed()
    const earlier = found.get(run.reference_example_id) ?? []
    earlier.push({ run, results: given.map(toResult), evaluatorNames: new Set(given.flatMap(getEvaluatorNames)) })
    found.set(run.reference_example_id, earlier)
  }
  return found
}

/** True when the evaluator has already scored the run. */
export function hasResultOf(evaluator: EvaluatorT, { evaluatorNames, results }: FinishedRun): boolean {
  if (evaluatorNames.has(getEvaluatorName(evaluator))) return true
  const keys = new Set(results.map(({ key }) => key))
  return getEvaluatorKeys(evaluator).every((key) => keys.has(key))
}

async function loadFeedbackByRun(client: Client, runs: readonly Run[]): Promise<Map<string, Feedback[]>> {
  const found = new Map<string, Feedback[]>()
  for (let from = 0; from < runs.length; from += BATCH) {
    const runIds = runs.slice(from, from + BATCH).map(({ id }) => id)
    for await (const feedback of client.listFeedback({ runIds })) {
      // Feedback of a comparison of two experiments is not a score of this experiment.
      if (feedback.comparative_experiment_id || !feedback.run_id) continue
      appendTo(found, feedback.run_id, feedback)
    }
  }
  return found
}

function getEvaluatorNames({ feedback_source }: Feedback): string[] {
  const name: unknown = feedback_source?.metadata?.evaluator
  return typeof name === 'string' ? [name] : []
}

function toResult({ key, score, value, comment, feedback_source }: Feedback): EvaluationResult {
  const runId: unknown = feedback_source?.metadata?.__run?.run_id
  return {
    key,
    ...(score != null && { score }),
    ...(value != null && { value }),
    ...(comment != null && { comment }),
    ...(typeof runId === 'string' && { sourceRunId: runId }),
  }
}

import type { KeyComparison, TracerSessionResult } from '../schemas.ts'
import { type FailedGate, findFailures, type GateFigures } from './fail-if.ts'
import type { OpenExperiment } from './open-experiment.ts'
import type { Plan, RowError } from './types.ts'

/** Returns the reasons to fail. The figures come from the server, so that they match the UI. */
export async function checkThresholds(
  plan: Plan,
  { experiment, datasetId, tasks, baseline }: OpenExperiment,
  errors: readonly RowError[],
): Promise<FailedGate[]> {
  const failures = plan.failOnError ? findTargetFailures(errors, tasks.length) : []
  if (plan.conditions.length === 0) return failures
  const { client, conditions } = plan
  const stored = await client.readProject({ projectId: experiment.id, includeStats: true })
  const compared =
    baseline &&
    (await client.compareExperiments({ datasetId, baselineId: baseline.id, experimentIds: [experiment.id] }))
  const figures = addEvaluatorErrors(gateFiguresOf(stored, compared?.results), errors)
  return [...failures, ...findFailures(conditions, figures)]
}

function findTargetFailures(errors: readonly RowError[], rows: number): FailedGate[] {
  const failed = errors.filter(({ evaluator }) => evaluator === undefined).length
  if (failed === 0) return []
  return [{ condition: 'failOnError', actual: failed, message: `the target failed on ${failed} of ${rows} rows` }]
}

/** A failed evaluator leaves no feedback, so its error is counted under its name. */
function addEvaluatorErrors({ experiment, feedback }: GateFigures, errors: readonly RowError[]): GateFigures {
  const all = { ...feedback }
  for (const { evaluator } of errors) {
    if (evaluator !== undefined) all[evaluator] = { ...all[evaluator], errors: Number(all[evaluator]?.errors ?? 0) + 1 }
  }
  return { experiment, feedback: all }
}

/**
 * Collects the figures that `failIf` conditions refer to.
 *
 * @param experiment read with `includeStats`
 * @param compared   its comparison with a baseline, if any; `p` is corrected for the number of keys
 */
export function gateFiguresOf(experiment: TracerSessionResult, compared: readonly KeyComparison[] = []): GateFigures {
  const { error_rate, run_count, latency_p50, latency_p99, total_tokens, total_cost } = experiment
  const feedback: GateFigures['feedback'] = {}
  const stats = { ...experiment.session_feedback_stats, ...experiment.feedback_stats }
  for (const [key, { avg, n, stdev, min, max, errors }] of Object.entries(stats)) {
    feedback[key] = { mean: avg, n, stdev, min, max, errors: errors ?? 0 }
  }
  for (const comparison of compared) {
    const { difference, pair_count, wins, losses, ties, verdict } = comparison
    feedback[comparison.feedback_key] = {
      ...feedback[comparison.feedback_key],
      difference: difference.mean,
      low: difference.interval?.low,
      high: difference.interval?.high,
      p: comparison.p_value_adjusted,
      mde: comparison.minimum_detectable_effect,
      pairs: pair_count,
      wins,
      losses,
      ties,
      verdict,
    }
  }
  const cost = total_cost == null ? null : Number(total_cost)
  return {
    experiment: { error_rate, run_count, latency_p50, latency_p99, total_tokens, total_cost: cost },
    feedback,
  }
}

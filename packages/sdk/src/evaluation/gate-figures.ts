import type { KeyComparison, TracerSessionResult } from '../schemas.ts'
import type { GateFigures } from './fail-if.ts'

/**
 * The figures that conditions are about.
 *
 * @param experiment read with `includeStats`
 * @param compared   its comparison with a baseline, when there is one; `p` is corrected for the number of keys
 */
export function gateFiguresOf(experiment: TracerSessionResult, compared: readonly KeyComparison[] = []): GateFigures {
  const { error_rate, run_count, latency_p50, latency_p99, total_tokens, total_cost } = experiment
  const feedback: GateFigures['feedback'] = {}
  const stats = { ...experiment.session_feedback_stats, ...experiment.feedback_stats }
  for (const [key, { avg, n, stdev, min, max, errors }] of Object.entries(stats)) {
    feedback[key] = { mean: avg, n, stdev, min, max, errors: errors ?? 0 }
  }
  for (const one of compared) {
    const { difference, pair_count, wins, losses, ties, verdict } = one
    feedback[one.feedback_key] = {
      ...feedback[one.feedback_key],
      difference: difference.mean,
      low: difference.interval?.low,
      high: difference.interval?.high,
      p: one.p_value_adjusted,
      mde: one.minimum_detectable_effect,
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

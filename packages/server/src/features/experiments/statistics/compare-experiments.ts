import { setImmediate } from 'node:timers/promises'
import {
  ApiError,
  contract,
  type ExperimentStatistics,
  type ExperimentStatisticsQuery,
  type KeyComparison,
  type Verdict,
} from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type App, serve } from '../../../http/serve.ts'
import { selectKeysWithLowerBetter } from '../../feedback/index.ts'
import { type ExampleScores, getExperiments, listScoredKeys, readScores, type ScoreSelection } from '../index.ts'
import { compareKey, type Uncorrected } from './compare-key.ts'

export function experimentStatisticsRoutes(app: App, deps: Pick<Deps, 'analytics' | 'relational'>): void {
  serve(app, contract.experimentStatistics.compare, ({ caller, params, body }) =>
    compareExperiments(deps, caller.tenantId, params.dataset_id, body),
  )
}

const MAX_KEYS = 100

type StatisticsDeps = Pick<Deps, 'analytics' | 'relational'>

/**
 * Compares experiments with a baseline, key by key, over the examples that both scored.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset or session; INVALID_REQUEST for a session over another dataset, and
 *   when the baseline is one of the compared sessions
 */
export async function compareExperiments(
  deps: StatisticsDeps,
  tenantId: string,
  datasetId: string,
  query: ExperimentStatisticsQuery,
): Promise<ExperimentStatistics> {
  const { baseline_session_id, comparison_session_ids, confidence, power, resamples, seed } = query
  if (comparison_session_ids.includes(baseline_session_id)) {
    throw new ApiError('INVALID_REQUEST', 'The baseline cannot be compared with itself.')
  }
  const sessionIds = [baseline_session_id, ...comparison_session_ids]
  const experiments = await getExperiments(deps, tenantId, datasetId, sessionIds)
  const wanted = {
    sessionIds,
    exampleIds: query.example_ids,
    comparativeExperimentId: query.comparative_experiment_id,
  }
  const { keys, omitted } = await selectKeys(deps, tenantId, wanted, query.feedback_keys)
  const isLowerBetter = await selectKeysWithLowerBetter(deps, tenantId, keys)
  const isRequested = (key: string) => query.feedback_keys?.includes(key) ?? false
  const found: Found[] = []
  for await (const { key, experiments: sessions } of readScores(deps, tenantId, wanted, keys)) {
    const options = { confidence, power, resamples, seed, pause, isLowerBetter: isLowerBetter.has(key) }
    const [baseline, ...others] = sessions
    for (const [at, sessionId] of comparison_session_ids.entries()) {
      const scores = others[at]
      if (baseline === undefined || scores === undefined) continue
      if (!isRequested(key) && !(isScored(baseline) && isScored(scores))) continue
      found.push({ key, sessionId, figures: await compareKey(baseline, scores, options) })
      await pause()
    }
  }
  const [baseline, ...comparisons] = experiments.map(({ id, name }) => ({ id, name }))
  if (baseline === undefined) throw new ApiError('NOT_FOUND', `Session not found: ${baseline_session_id}`)
  return {
    dataset_id: datasetId,
    baseline,
    comparisons,
    confidence,
    power,
    resamples,
    seed,
    correction: 'holm',
    results: toConclusions(found, confidence),
    omitted_keys: omitted,
  }
}

/** Lets the server handle other requests in between. */
const pause = () => setImmediate()

interface Found {
  readonly key: string
  readonly sessionId: string
  readonly figures: Uncorrected
}

async function selectKeys(
  deps: StatisticsDeps,
  tenantId: string,
  wanted: ScoreSelection,
  given: readonly string[] | null | undefined,
): Promise<{ keys: string[]; omitted: string[] }> {
  if (given) return { keys: [...new Set(given)], omitted: [] }
  const all = await listScoredKeys(deps, tenantId, wanted, 10 * MAX_KEYS)
  return { keys: all.slice(0, MAX_KEYS), omitted: all.slice(MAX_KEYS) }
}

const isScored = ({ counts }: ExampleScores) => counts.some((count) => count > 0)

/** All comparisons are corrected together, because each further one raises the probability of a chance difference. */
function toConclusions(found: readonly Found[], confidence: number): KeyComparison[] {
  const adjusted = correctByHolm(found.map(({ figures }) => figures.p_value))
  return found.map(({ key, sessionId, figures }, at) => {
    const p_value_adjusted = adjusted[at] ?? null
    const verdict = decideVerdict(figures, p_value_adjusted, confidence)
    return { session_id: sessionId, feedback_key: key, ...figures, p_value_adjusted, ...verdict }
  })
}

/**
 * Holm's correction: adjusts p values for the number of comparisons, so that all can be compared with one level.
 *
 * @returns adjusted p values in the given order; null stays null and is not counted
 */
export function correctByHolm(pValues: readonly (number | null)[]): (number | null)[] {
  const rising = pValues
    .map((p, at) => ({ p, at }))
    .filter((one): one is { p: number; at: number } => one.p !== null)
    .sort((one, other) => one.p - other.p)
  const adjusted: (number | null)[] = pValues.map(() => null)
  let highest = 0
  rising.forEach(({ p, at }, rank) => {
    highest = Math.max(highest, Math.min(1, p * (rising.length - rank)))
    adjusted[at] = highest
  })
  return adjusted
}

/**
 * The smallest number of pairs that can show a difference: even if all n pairs differ in the same direction, the p value
 * of the exact tests is not below 2^(1 − n).
 */
export function countFewestPairs(confidence: number): number {
  return Math.ceil(1 - Math.log2(1 - confidence) - 1e-9)
}

/**
 * Decides the verdict of a comparison. There is a difference when the corrected p value is below the requested level, and
 * the interval and the mean are on the same side of zero.
 */
export function decideVerdict(
  figures: Uncorrected,
  adjusted: number | null,
  confidence: number,
): Pick<KeyComparison, 'verdict' | 'reason'> {
  const { pair_count: pairs, difference, is_lower_score_better: isLowerBetter } = figures
  const fewest = countFewestPairs(confidence)
  if (pairs < fewest) {
    const found = pairs === 1 ? '1 example is' : `${pairs} examples are`
    return toVerdict('not enough data', `${found} scored in both; at least ${fewest} are needed to show a difference.`)
  }
  const { mean, interval } = difference
  if (mean === null || interval === null || adjusted === null) {
    return toVerdict('not enough data', 'The scores are too large for the calculation.')
  }
  const range = `${percent(confidence)} interval ${print(interval.low)} to ${print(interval.high)}`
  const chance = `p = ${print(adjusted)} after correction`
  const isClear = adjusted < 1 - confidence && (mean > 0 ? interval.low > 0 : mean < 0 && interval.high < 0)
  if (!isClear) {
    const smallest = figures.minimum_detectable_effect
    const limit =
      smallest === null
        ? ''
        : ` With this number of examples, a difference below ${print(smallest)} is usually not detected.`
    return toVerdict(
      'no difference shown',
      `The mean difference of ${print(mean)} (${range}) may be due to chance, ${chance}.${limit}`,
    )
  }
  const direction = mean > 0 ? 'Higher' : 'Lower'
  return toVerdict(
    mean > 0 !== isLowerBetter ? 'better' : 'worse',
    `${direction} by ${print(Math.abs(mean))} on average over ${pairs} examples (${range}), ${chance}.`,
  )
}

const toVerdict = (verdict: Verdict, reason: string) => ({ verdict, reason })

/** Prints three significant digits. */
function print(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.0001) return value.toExponential(1)
  return String(Number(value.toPrecision(3)))
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(4))} %`
}

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
 *   for the baseline among those compared with it
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
  const isAsked = (key: string) => query.feedback_keys?.includes(key) ?? false
  const found: Found[] = []
  for await (const { key, experiments: sessions } of readScores(deps, tenantId, wanted, keys)) {
    const options = { confidence, power, resamples, seed, pause, isLowerBetter: isLowerBetter.has(key) }
    const [baseline, ...others] = sessions
    for (const [at, cells] of others.entries()) {
      if (!isAsked(key) && !(isScored(baseline!) && isScored(cells))) continue
      found.push({ key, sessionId: comparison_session_ids[at]!, figures: await compareKey(baseline!, cells, options) })
      await pause()
    }
  }
  const named = experiments.map(({ id, name }) => ({ id, name }))
  return {
    dataset_id: datasetId,
    baseline: named[0]!,
    comparisons: named.slice(1),
    confidence,
    power,
    resamples,
    seed,
    correction: 'holm',
    results: toConclusions(found, confidence),
    omitted_keys: omitted,
  }
}

/** Other requests are answered in between. */
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

/** The more comparisons, the likelier one of them looks like a difference by chance: all are corrected together. */
function toConclusions(found: readonly Found[], confidence: number): KeyComparison[] {
  const adjusted = correctByHolm(found.map(({ figures }) => figures.p_value))
  return found.map(({ key, sessionId, figures }, at) => ({
    session_id: sessionId,
    feedback_key: key,
    ...figures,
    p_value_adjusted: adjusted[at]!,
    ...decideVerdict(figures, adjusted[at]!, confidence),
  }))
}

/**
 * Holm's correction: p values as they may be held against one level, however many were looked at.
 *
 * @returns in the order given; null stays null and does not count
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
 * The fewest pairs at which some outcome could be told from chance: even if all of them pointed one way, the exact tests
 * could not go below 2^(1 − n).
 */
export function countFewestPairs(confidence: number): number {
  return Math.ceil(1 - Math.log2(1 - confidence) - 1e-9)
}

/**
 * What a comparison comes to. A difference counts when the corrected p value is below the level asked for and the
 * interval and the mean lie on the same side of zero.
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
    return toVerdict(
      'not enough data',
      `${found} scored in both; below ${fewest} no outcome could be told from chance.`,
    )
  }
  const { mean, interval } = difference
  if (mean === null || interval === null || adjusted === null) {
    return toVerdict('not enough data', 'The scores are too large to be computed with.')
  }
  const range = `${percent(confidence)} interval ${print(interval.low)} to ${print(interval.high)}`
  const chance = `p = ${print(adjusted)} after correction`
  const isClear = adjusted < 1 - confidence && (mean > 0 ? interval.low > 0 : mean < 0 && interval.high < 0)
  if (!isClear) {
    const unseen = figures.minimum_detectable_effect
    const limit = unseen === null ? '' : ` At this size a difference below ${print(unseen)} mostly stays unseen.`
    return toVerdict(
      'no difference shown',
      `The mean difference of ${print(mean)} (${range}) may be chance, ${chance}.${limit}`,
    )
  }
  const way = mean > 0 ? 'Higher' : 'Lower'
  return toVerdict(
    mean > 0 !== isLowerBetter ? 'better' : 'worse',
    `${way} by ${print(Math.abs(mean))} on average over ${pairs} examples (${range}), ${chance}.`,
  )
}

const toVerdict = (verdict: Verdict, reason: string) => ({ verdict, reason })

/** Three digits that matter. */
function print(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.0001) return value.toExponential(1)
  return String(Number(value.toPrecision(3)))
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(4))} %`
}

import { setImmediate } from 'node:timers/promises'
import {
  ApiError,
  type ExperimentStatistics,
  type ExperimentStatisticsQuery,
  type KeyComparison,
} from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { selectKeysWithLowerBetter } from '../../feedback/index.ts'
import { type ExampleScores, getExperiments, listScoredKeys, readScores, type ScoreSelection } from '../index.ts'
import { compareKey, type Uncorrected } from './compare-key.ts'
import { decideVerdict } from './verdict.ts'

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
  const adjusted = holm(found.map(({ figures }) => figures.p_value))
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
export function holm(pValues: readonly (number | null)[]): (number | null)[] {
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

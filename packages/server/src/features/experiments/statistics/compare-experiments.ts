import { setImmediate } from 'node:timers/promises'
import {
  ApiError,
  type ExperimentStatistics,
  type ExperimentStatisticsQuery,
  type KeyComparison,
} from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { selectKeysWithLowerBetter } from '../../feedback/index.ts'
import { getExperiments, listScoredKeys, readScores, type ScoreCells, type ScoresWanted } from '../index.ts'
import { compareKey, type Uncorrected } from './compare-key.ts'
import { holm } from './maths/holm.ts'
import { judge } from './verdict.ts'

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
  const { keys, omitted } = await keysWanted(deps, tenantId, wanted, query.feedback_keys)
  const isLowerBetter = await selectKeysWithLowerBetter(deps, tenantId, keys)
  const isAsked = (key: string) => query.feedback_keys?.includes(key) ?? false
  const found: Found[] = []
  for await (const { key, sessions } of readScores(deps, tenantId, wanted, keys)) {
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
    results: concluded(found, confidence),
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

async function keysWanted(
  deps: StatisticsDeps,
  tenantId: string,
  wanted: ScoresWanted,
  given: readonly string[] | null | undefined,
): Promise<{ keys: string[]; omitted: string[] }> {
  if (given) return { keys: [...new Set(given)], omitted: [] }
  const all = await listScoredKeys(deps, tenantId, wanted, 10 * MAX_KEYS)
  return { keys: all.slice(0, MAX_KEYS), omitted: all.slice(MAX_KEYS) }
}

const isScored = ({ counts }: ScoreCells) => counts.some((count) => count > 0)

/** The more comparisons, the likelier one of them looks like a difference by chance: all are corrected together. */
function concluded(found: readonly Found[], confidence: number): KeyComparison[] {
  const adjusted = holm(found.map(({ figures }) => figures.p_value))
  return found.map(({ key, sessionId, figures }, at) => ({
    session_id: sessionId,
    feedback_key: key,
    ...figures,
    p_value_adjusted: adjusted[at]!,
    ...judge(figures, adjusted[at]!, confidence),
  }))
}

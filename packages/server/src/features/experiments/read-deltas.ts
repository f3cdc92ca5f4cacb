import type { FeedbackDelta, RunDeltasQuery } from '@touchstone/contract'
import { selectKeysWithLowerBetter } from '../feedback/index.ts'
import { type FindDeps, findExperiments, getExperiments, selectMatchingExampleIds } from './find-page.ts'
import { readMeans } from './read-scores.ts'

export type DeltaSelection = Pick<
  RunDeltasQuery,
  'baseline_session_id' | 'comparison_session_ids' | 'filters' | 'comparative_experiment_id'
>

interface KeyDeltas {
  readonly key: string
  /** By session. */
  readonly deltas: ReadonlyMap<string, FeedbackDelta>
  /** Sessions that do not exist; they are left out. */
  readonly missingIds: readonly string[]
}

/**
 * Yields, key by key, the ids of the examples that each session scored better or worse than the baseline.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset or baseline, or when no compared session exists; INVALID_REQUEST for a
 *   session over another dataset
 */
export async function* readDeltas(
  deps: FindDeps,
  tenantId: string,
  datasetId: string,
  wanted: DeltaSelection,
  keys: readonly string[],
): AsyncGenerator<KeyDeltas> {
  const { baseline_session_id, comparison_session_ids, filters, comparative_experiment_id } = wanted
  await getExperiments(deps, tenantId, datasetId, [baseline_session_id])
  const { experiments, missingIds } = await findExperiments(deps, tenantId, datasetId, comparison_session_ids, filters)
  const comparisons = experiments.map(({ id }) => id)
  const matching = await selectMatchingExampleIds(deps, tenantId, { filters })
  const lowerBetter = await selectKeysWithLowerBetter(deps, tenantId, keys)
  const sessionIds = [...new Set([baseline_session_id, ...comparisons])]
  const scores = { sessionIds, comparativeExperimentId: comparative_experiment_id }
  for (const key of keys) {
    const means = new Map<string, number[]>()
    for (const { example_id, session, mean } of await readMeans(deps, tenantId, scores, key)) {
      if (matching?.has(example_id) === false) continue
      const ofExample = means.get(example_id) ?? []
      ofExample[session] = mean
      means.set(example_id, ofExample)
    }
    const better = lowerBetter.has(key) ? -1 : 1
    const deltas = comparisons.map((id): [string, FeedbackDelta] => [
      id,
      toDelta(means, sessionIds.indexOf(id), better),
    ])
    yield { key, deltas: new Map(deltas), missingIds }
  }
}

/** Examples that only one of both sessions scored are in neither list. */
function toDelta(means: ReadonlyMap<string, readonly number[]>, session: number, better: 1 | -1): FeedbackDelta {
  const [improved, regressed]: [string[], string[]] = [[], []]
  for (const [example, ofExample] of means) {
    const [before, after] = [ofExample[0], ofExample[session]]
    if (before === undefined || after === undefined) continue
    // Means of the same scores in another order may differ by rounding.
    const slack = 1e-12 * Math.max(Math.abs(before), Math.abs(after))
    const change = (after - before) * better
    if (change > slack) improved.push(example)
    else if (change < -slack) regressed.push(example)
  }
  return { improved_examples: improved.sort(), regressed_examples: regressed.sort() }
}

/** Cuts a page from each list. */
export function cutDeltas(
  deltas: ReadonlyMap<string, FeedbackDelta>,
  { offset, limit }: Pick<RunDeltasQuery, 'offset' | 'limit'>,
): Record<string, FeedbackDelta> {
  const from = offset ?? 0
  const cut = (ids: readonly string[]) => ids.slice(from, from + (limit ?? 100))
  return Object.fromEntries(
    Array.from(deltas, ([id, { improved_examples, regressed_examples }]) => [
      id,
      { improved_examples: cut(improved_examples), regressed_examples: cut(regressed_examples) },
    ]),
  )
}

/** Prints deltas as server-sent events, one for each key. */
export async function* printDeltaEvents(found: ReturnType<typeof readDeltas>): AsyncGenerator<string> {
  for await (const { key, deltas, missingIds } of found) {
    // Printed as text: a key may be `__proto__`.
    const deltasByKey = `{${JSON.stringify(key)}:${JSON.stringify(Object.fromEntries(deltas))}}`
    const errors = missingIds.map((id) => [id, 'Session not found'])
    const printed = errors.length === 0 ? 'null' : JSON.stringify(Object.fromEntries(errors))
    yield `event: data\ndata: {"feedback_deltas":${deltasByKey},"errors":${printed}}\n\n`
  }
  yield 'event: end\ndata: \n\n'
}

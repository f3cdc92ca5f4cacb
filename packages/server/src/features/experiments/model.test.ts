import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anExperimentSet } from '../../testing/an-experiment.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const EXAMPLES = 25
const KEYS = ['a', 'b']

/** Returns a generator that produces the same numbers for the same seed. */
function createGenerator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Scores by key, experiment and example: none, one, or several repetitions, of five levels. */
function randomScores(random: () => number): Record<string, (number[] | undefined)[][]> {
  const level = () => Math.floor(random() * 5) / 4
  const cell = () => (random() < 0.2 ? undefined : Array.from({ length: 1 + Math.floor(random() * 3) }, level))
  const side = () => Array.from({ length: EXAMPLES }, cell)
  return Object.fromEntries(KEYS.map((key) => [key, [side(), side(), side()]]))
}

const average = (scores: readonly number[]) => scores.reduce((sum, score) => sum + score, 0) / scores.length

describe.each([1, 2, 3])('random experiments (seed %i)', (seed) => {
  it('match a simple model in order, deltas and statistics', async () => {
    const random = createGenerator(seed)
    const scores = randomScores(random)
    const skipped = [0, 1, 2].map(() => Array.from({ length: EXAMPLES }, (_, at) => at).filter(() => random() < 0.1))
    const set = await anExperimentSet(app, { examples: EXAMPLES, scores, skipped })
    const [baseline, ...others] = set.sessionIds as [string, string, string]
    const params = { dataset_id: set.datasetId }

    for (const key of KEYS) {
      const means = set.sessionIds.map((_, side) =>
        set.exampleIds.map((_, at) => {
          const given = skipped[side]!.includes(at) ? undefined : scores[key]![side]![at]
          return given === undefined ? undefined : average(given)
        }),
      )

      const overall = set.exampleIds.map((_, at) => {
        const given = means.map((side) => side[at]).filter((mean) => mean !== undefined)
        return given.length === 0 ? undefined : average(given)
      })
      const body = {
        session_ids: set.sessionIds,
        limit: EXAMPLES,
        sort_params: { sort_by: `feedback.${key}`, sort_order: 'ASC' },
      }
      const sorted = (await app.call(contract.experiments.runs, { params, body })).body
      const sortedMeans = sorted.map((one) => overall[set.exampleIds.indexOf(one.id)])
      const scored = sortedMeans.filter((mean) => mean !== undefined)
      expect(sorted).toHaveLength(EXAMPLES)
      expect(sortedMeans.slice(scored.length).every((mean) => mean === undefined)).toBe(true)
      for (const [at, mean] of scored.entries()) expect(mean).toBeGreaterThanOrEqual((scored[at - 1] ?? 0) - 1e-12)

      const { feedback_deltas } = (
        await app.call(contract.experiments.deltas, {
          params,
          body: { baseline_session_id: baseline, comparison_session_ids: others, feedback_key: key },
        })
      ).body
      const { results } = (
        await app.call(contract.experimentStatistics.compare, {
          params,
          body: { baseline_session_id: baseline, comparison_session_ids: others, feedback_keys: [key] },
        })
      ).body
      for (const [index, session] of others.entries()) {
        const changes = set.exampleIds.map((_, at) => {
          const [before, after] = [means[0]![at], means[index + 1]![at]]
          return before === undefined || after === undefined ? undefined : after - before
        })
        const filterIds = (holds: (change: number) => boolean) =>
          set.exampleIds.filter((_, at) => changes[at] !== undefined && holds(changes[at]!)).sort()
        const [up, down] = [filterIds((change) => change > 1e-12), filterIds((change) => change < -1e-12)]
        expect(feedback_deltas[session]).toEqual({ improved_examples: up, regressed_examples: down })

        const paired = changes.filter((change) => change !== undefined)
        const one = results.find((result) => result.session_id === session)!
        expect(one).toMatchObject({
          pair_count: paired.length,
          wins: up.length,
          losses: down.length,
          only_baseline_count: means[0]!.filter((mean, at) => mean !== undefined && changes[at] === undefined).length,
          only_comparison_count: means[index + 1]!.filter((mean, at) => mean !== undefined && changes[at] === undefined)
            .length,
        })
        expect(one.difference.mean).toBeCloseTo(average(paired), 10)
      }
    }
  })
})

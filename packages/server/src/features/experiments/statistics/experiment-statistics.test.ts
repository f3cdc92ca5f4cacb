import { contract, type ExperimentStatistics, type KeyComparison, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anExperimentSet, type ExperimentSet } from '../../../testing/an-experiment.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const { experimentStatistics: routes } = contract

function compare(set: ExperimentSet, body: Record<string, unknown> = {}) {
  const [baseline, ...others] = set.sessionIds
  return app.call(routes.compare, {
    params: { dataset_id: set.datasetId },
    body: { baseline_session_id: baseline, comparison_session_ids: others, ...body },
  })
}

async function readStatistics(set: ExperimentSet, body: Record<string, unknown> = {}): Promise<ExperimentStatistics> {
  const answer = await compare(set, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

async function readOnlyResult(set: ExperimentSet, body: Record<string, unknown> = {}): Promise<KeyComparison> {
  const { results } = await readStatistics(set, body)
  expect(results).toHaveLength(1)
  return results[0]!
}

const repeat = <Value>(count: number, value: (at: number) => Value) =>
  Array.from({ length: count }, (_, at) => value(at))

describe('statistics of experiments', () => {
  it('compare the examples that both experiments scored', async () => {
    const set = await anExperimentSet(app, {
      examples: 12,
      scores: { correct: [repeat(12, (at) => (at < 4 ? 1 : 0)), repeat(12, (at) => (at < 11 ? 1 : 0))] },
    })
    const found = await readOnlyResult(set)
    expect(found).toMatchObject({
      session_id: set.sessionIds[1],
      feedback_key: 'correct',
      is_binary: true,
      pair_count: 12,
      wins: 7,
      losses: 0,
      ties: 5,
      decided_by: 'mcnemar',
      p_value: expect.closeTo(2 ** -6, 12),
      p_value_adjusted: expect.closeTo(2 ** -6, 12),
      verdict: 'better',
    })
    expect(found.difference.mean).toBeCloseTo(7 / 12, 12)
    expect(found.difference.interval).toMatchObject({ confidence: 0.95, method: 'bca' })
    expect(found.reason).toMatch(/^Higher by 0\.583 on average over 12 examples/)
  })

  it('count examples that only one experiment scored', async () => {
    const set = await anExperimentSet(app, {
      examples: 10,
      scores: {
        quality: [
          repeat(10, (at) => (at < 2 ? undefined : at / 10)),
          repeat(10, (at) => (at > 6 ? undefined : at / 10)),
        ],
      },
    })
    expect(await readOnlyResult(set)).toMatchObject({
      pair_count: 5,
      only_baseline_count: 3,
      only_comparison_count: 2,
      wins: 0,
      losses: 0,
      ties: 5,
      verdict: 'not enough data',
      reason: '5 examples are scored in both; at least 6 are needed to show a difference.',
    })
  })

  it('average repetitions, and include their variance', async () => {
    const set = await anExperimentSet(app, {
      examples: 8,
      scores: { quality: [repeat(8, (at) => [at, at + 1, at + 2]), repeat(8, (at) => [at + 1])] },
    })
    const found = await readOnlyResult(set)
    expect(found).toMatchObject({ pair_count: 8, ties: 8, p_value: 1, verdict: 'no difference shown' })
    expect(found.baseline).toMatchObject({ example_count: 8, score_count: 24, variance_within: 1 })
    expect(found.baseline.variance_between).toBeCloseTo(6 - 1 / 3, 10)
    expect(found.comparison).toMatchObject({ score_count: 8, variance_within: null, reliability: null })
  })

  it('are reversed for a key with is_lower_score_better', async () => {
    const key = `seconds-${uuid7()}`
    await app.call(contract.feedbackConfigs.create, {
      body: { feedback_key: key, feedback_config: { type: 'continuous' }, is_lower_score_better: true },
    })
    const set = await anExperimentSet(app, {
      examples: 10,
      scores: { [key]: [repeat(10, (at) => 5 + at), repeat(10, (at) => 3 + at / 2)] },
    })
    expect(await readOnlyResult(set)).toMatchObject({
      wins: 10,
      losses: 0,
      is_lower_score_better: true,
      verdict: 'better',
    })
  })

  it('correct for the number of comparisons', async () => {
    const noise = (at: number, of: number) => ((at * 7919 + of * 104729) % 97) / 97
    const keys = Object.fromEntries(
      repeat(6, (of) => [`key ${of}`, [repeat(9, (at) => noise(at, of)), repeat(9, (at) => noise(at, of) + 0.1)]]),
    )
    const { results } = await readStatistics(await anExperimentSet(app, { examples: 9, scores: keys }))
    expect(results.map((one) => one.feedback_key)).toEqual(repeat(6, (of) => `key ${of}`))
    for (const one of results) {
      expect(one.p_value).toBeCloseTo(2 ** -8, 12)
      expect(one.p_value_adjusted).toBeCloseTo(6 * 2 ** -8, 12)
      expect(one.verdict).toBe('better')
    }
    const selected = await readStatistics(
      { ...(await anExperimentSet(app, { examples: 9, scores: keys })) },
      { feedback_keys: ['key 3'] },
    )
    expect(selected.results[0]!.p_value_adjusted).toBeCloseTo(2 ** -8, 12)
  })

  it('compare several experiments with one baseline, in the requested order', async () => {
    const set = await anExperimentSet(app, {
      examples: 7,
      scores: { correct: [repeat(7, () => 0), repeat(7, () => 1), repeat(7, () => 0), repeat(7, () => undefined)] },
    })
    const { results, baseline, comparisons } = await readStatistics(set)
    expect(results.map((one) => [one.session_id, one.verdict])).toEqual([
      [set.sessionIds[1], 'better'],
      [set.sessionIds[2], 'no difference shown'],
    ])
    expect([baseline.id, ...comparisons.map((one) => one.id)]).toEqual(set.sessionIds)
  })

  it('are equal for the same seed and different for another seed', async () => {
    const scores = repeat(20, (at) => Math.sin(at))
    const create = () =>
      anExperimentSet(app, { examples: 20, scores: { q: [scores, scores.map((one, at) => one + Math.cos(at) / 3)] } })
    const intervals = [
      (await readOnlyResult(await create(), { seed: 1 })).difference.interval,
      (await readOnlyResult(await create(), { seed: 1 })).difference.interval,
      (await readOnlyResult(await create(), { seed: 2 })).difference.interval,
    ]
    expect(intervals[1]).toEqual(intervals[0])
    expect(intervals[2]).not.toEqual(intervals[0])
  })

  it('include feedback of a comparison only on request', async () => {
    const set = await anExperimentSet(app, {
      examples: 6,
      scores: { preferred: [repeat(6, () => 0), repeat(6, () => 0)] },
    })
    const comparative_experiment_id = uuid7()
    for (const [at, runId] of set.runIds[1]!.entries()) {
      const body = { run_id: runId, key: 'preferred', score: 1, comparative_experiment_id }
      await app.call(contract.feedback.create, { body })
      await app.call(contract.feedback.create, { body: { ...body, run_id: set.runIds[0]![at], score: 0 } })
    }
    expect(await readOnlyResult(set)).toMatchObject({ wins: 0, ties: 6 })
    expect(await readOnlyResult(set, { comparative_experiment_id })).toMatchObject({
      wins: 6,
      ties: 0,
      verdict: 'better',
    })
  })

  it('are restricted to the requested examples, and contain a requested key without scores', async () => {
    const set = await anExperimentSet(app, { examples: 8, scores: { q: [repeat(8, () => 0), repeat(8, () => 1)] } })
    expect(await readOnlyResult(set, { example_ids: set.exampleIds.slice(0, 7) })).toMatchObject({ pair_count: 7 })
    expect(await readOnlyResult(set, { feedback_keys: ['unscored'] })).toMatchObject({
      pair_count: 0,
      p_value: null,
      p_value_adjusted: null,
      verdict: 'not enough data',
    })
  })

  it('accept unusual keys and extreme scores', async () => {
    const keys = ['__proto__', "'; drop table runs --", '\u{1F600}"\\', 'constructor', ' ']
    const set = await anExperimentSet(app, {
      examples: 6,
      scores: Object.fromEntries(keys.map((key) => [key, [repeat(6, () => 0), repeat(6, () => 1)]])),
    })
    const { results } = await readStatistics(set)
    expect(results.map((one) => one.feedback_key).sort()).toEqual([...keys].sort())
    expect(results.every((one) => one.wins === 6)).toBe(true)

    const huge = await anExperimentSet(app, {
      examples: 6,
      scores: { q: [repeat(6, () => -1.7e308), repeat(6, (at) => (at % 2 ? 1.7e308 : 1e300))] },
    })
    expect(await readOnlyResult(huge)).toMatchObject({ verdict: 'not enough data', p_value: null })
  })

  it('reject sessions that cannot be compared', async () => {
    const set = await anExperimentSet(app, { examples: 1, scores: {} })
    const other = await anExperimentSet(app, { examples: 1, scores: {} })
    const [first, second] = set.sessionIds
    expect((await compare(set, { comparison_session_ids: [first] })).status).toBe(400)
    expect((await compare(set, { comparison_session_ids: [other.sessionIds[0]] })).status).toBe(400)
    expect((await compare(set, { comparison_session_ids: [] })).status).toBe(400)
    const unknown = await compare(set, { comparison_session_ids: [second, uuid7()] })
    expect(unknown.status).toBe(404)
    expect(unknown.text).toContain('not found')
    const unknownDataset = await compare({ ...set, datasetId: uuid7() })
    expect(unknownDataset.status).toBe(404)
    expect(unknownDataset.text).toContain('not found')
  })
})

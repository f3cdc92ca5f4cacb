import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DATASET, FakeEvaluationServer } from '../../test/fake-evaluation-server.ts'
import { Client } from '../client.ts'
import type { Run } from '../schemas.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import { evaluate } from './evaluate.ts'
import {
  type ComparativeEvaluateOptions,
  type ComparativeEvaluatorArgs,
  evaluateComparative,
} from './evaluate-comparative.ts'

let server: FakeEvaluationServer
let client: Client
beforeEach(async () => {
  server = await FakeEvaluationServer.start([
    { inputs: { n: 1 }, outputs: { double: 2 } },
    { inputs: { n: 2 }, outputs: { double: 4 } },
  ])
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await server.stop()
})

const quiet = { progress: false }
const inner = traceable(async (n: number) => n, { name: 'inner' })
const anExperiment = (experimentPrefix: string, factor: number) =>
  evaluate(async ({ n }: { n: number }) => ({ double: (await inner(n)) * factor }), {
    ...quiet,
    data: 'capitals',
    client,
    experimentPrefix,
  })
const on = (evaluator: ComparativeEvaluateOptions['evaluators'][number], more = {}) => ({
  evaluators: [evaluator],
  client,
  ...quiet,
  ...more,
})

/** Prefers the run whose output equals the reference. */
function prefer({ runs, outputs, referenceOutputs }: ComparativeEvaluatorArgs) {
  const scores = runs.map((run, at) => [run.id, outputs[at]!.double === referenceOutputs.double ? 1 : 0] as const)
  return { key: 'preferred', scores: Object.fromEntries(scores) }
}

describe('a comparison of experiments', () => {
  it('shows evaluators the runs of each example side by side, and scores them all', async () => {
    vi.stubEnv('TOUCHSTONE_ENDPOINT', 'http://127.0.0.1:9/api/v1')
    const [good, bad] = [await anExperiment('good', 2), await anExperiment('bad', 3)]

    const result = await evaluate([good.experimentName, bad.experimentName], on(prefer, { metadata: { why: 'x' } }))

    const ids = [good, bad].map(({ experimentId }) => experimentId)
    expect(result.experimentName).toMatch(new RegExp(`^${good.experimentName} vs. ${bad.experimentName}-[0-9a-f]{4}$`))
    expect(result.comparativeExperiment).toMatchObject({ experiment_ids: ids, reference_dataset_id: DATASET })
    expect(result.url).toContain(
      `/datasets/${DATASET}/compare?selectedSessions=${ids}&comparativeExperiment=${result.comparativeExperiment.id}`,
    )
    const expected = [0, 1].map((at) => ({
      [good.results[at]!.run.id]: 1,
      [bad.results[at]!.run.id]: 0,
    }))
    expect(result.results.map(({ scores }) => scores)).toEqual(expected)
    expect(server.feedback).toHaveLength(4)
    expect(server.feedback[0]).toMatchObject({
      key: 'preferred',
      score: 1,
      run_id: good.results[0]!.run.id,
      session_id: good.experimentId,
      comparative_experiment_id: result.comparativeExperiment.id,
      feedback_source: { type: 'model', metadata: { __run: { run_id: result.results[0]!.source_run_id } } },
    })
    const [judged] = server.runsOf('evaluators')
    expect(judged).toMatchObject({ id: result.results[0]!.source_run_id, name: 'prefer', inputs: { inputs: { n: 1 } } })
  })

  it('takes results too, also those still to come, and evaluators of the old form', async () => {
    const both = [anExperiment('a', 2), anExperiment('b', 3)]
    const old = (runs: Run[], example: { id: string }) => ({
      key: 'k',
      scores: Object.fromEntries(runs.map(({ id }) => [id, example.id.length])),
      comment: { [runs[0]!.id]: 'first' },
    })
    const result = await evaluateComparative(both, on(old, { experimentPrefix: 'pair' }))
    expect(result.experimentName).toMatch(/^pair-[0-9a-f]{4}$/)
    expect(server.feedback.map(({ score, comment }) => [score, comment])).toEqual([
      [36, 'first'],
      [36, undefined],
      [36, 'first'],
      [36, undefined],
    ])
  })

  it('hangs what is below the runs on them when asked to', async () => {
    const names = [(await anExperiment('a', 2)).experimentName, (await anExperiment('b', 3)).experimentName]
    const seen: unknown[] = []
    const look = ({ runs }: ComparativeEvaluatorArgs) => {
      seen.push(runs.map(({ child_runs }) => child_runs?.map(({ name }) => name)))
      return { key: 'k', scores: {} }
    }
    await evaluate(names, on(look, { loadNested: true }))
    await evaluate(names, on(look))
    expect(seen).toEqual([...Array(2).fill([['inner'], ['inner']]), ...Array(2).fill([undefined, undefined])])
  })

  it('shuffles runs, also for evaluators with two parameters', async () => {
    const names = [(await anExperiment('a', 2)).experimentName, (await anExperiment('b', 3)).experimentName]
    const first = new Set<string>()
    const look = (runs: Run[], _: unknown) => {
      first.add(runs[0]!.session_id)
      return { key: 'k', scores: {} }
    }
    for (let round = 0; round < 20 && first.size < 2; round++) await evaluate(names, on(look, { randomizeOrder: true }))
    expect(first.size).toBe(2)
  })

  it('is refused when it cannot be made', async () => {
    const a = await anExperiment('a', 2)
    const elsewhere = server.given({ name: 'elsewhere', reference_dataset_id: '99999999-9999-4999-8999-999999999999' })
    const free = [
      server.given({ name: 'f1', reference_dataset_id: null }),
      server.given({ name: 'f2', reference_dataset_id: null }),
    ]
    const empty = server.given({ name: 'empty' })
    const compare = (names: string[], more = {}) => evaluate(names, on(prefer, more))

    await expect(compare(['a'])).rejects.toThrow('Comparative evaluation requires at least 2 experiments.')
    await expect(compare(['a', 'b'], { evaluators: [] })).rejects.toThrow(
      'At least one evaluator is required for comparative evaluation.',
    )
    await expect(compare(['a', 'b'], { maxConcurrency: -1 })).rejects.toThrow(
      'maxConcurrency must be a positive number.',
    )
    await expect(compare([a.experimentName, elsewhere.name])).rejects.toThrow(
      'All experiments must have the same reference dataset.',
    )
    await expect(compare(free.map(({ name }) => name))).rejects.toThrow(
      'Reference dataset is required for comparative evaluation.',
    )
    await expect(compare([a.experimentName, empty.name])).rejects.toThrow(
      'No examples found in common between experiments.',
    )
    const b = await anExperiment('b', 3)
    const strange = () => ({ key: 'k', scores: { x: 1 } })
    await expect(evaluate([a.experimentName, b.experimentName], on(strange))).rejects.toThrow(
      'Returning an invalid run id x from evaluator.',
    )
  })
})

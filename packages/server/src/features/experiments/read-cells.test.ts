import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anExperimentSet, type ExperimentSet } from '../../testing/an-experiment.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const read = async (set: ExperimentSet, body: Record<string, unknown> = {}) => {
  const answer = await app.call(contract.experimentCells.read, {
    params: { dataset_id: set.datasetId },
    body: { session_ids: set.sessionIds, ...body },
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

describe('search in experiments', () => {
  it('finds a text in inputs, references, outputs and errors, in any case', async () => {
    const set = await anExperimentSet(app, {
      examples: [{ question: 'Refund "now"?' }, { question: 'b' }, { question: 'c' }, { question: 'd' }],
      run: (experiment, example) => {
        if (experiment === 1 && example === 1) return { outputs: { answer: 'No REFUND ü "now"' } }
        return experiment === 0 && example === 2 ? { error: 'refund service is down', outputs: null } : {}
      },
    })
    const search = async (text: string, session_ids: readonly string[] = set.sessionIds) => {
      const params = { dataset_id: set.datasetId }
      const answer = await app.call(contract.experimentCells.search, { params, body: { session_ids, text } })
      expect(answer.status, answer.text).toBe(200)
      return answer.body.example_ids.map((id) => set.exampleIds.indexOf(id)).sort()
    }
    expect(await search('refund')).toEqual([0, 1, 2])
    expect(await search('efun', [set.sessionIds[0]!])).toEqual([0, 2])
    expect(await search('ü "now"')).toEqual([1])
    expect(await search('"expected":3')).toEqual([3])
    expect(await search('100%')).toEqual([])
  })

  it('selects examples by their metadata, alone and together with a text', async () => {
    const set = await anExperimentSet(app, { examples: [{ question: 'a' }, { question: 'b' }, { question: 'a' }] })
    for (const [at, topic] of ['auth', 'auth', 'billing'].entries()) {
      const changed = { params: { example_id: set.exampleIds[at]! }, body: { metadata: { topic } } }
      expect((await app.call(contract.examples.update, changed)).status).toBe(200)
    }
    const params = { dataset_id: set.datasetId }
    const ask = (query: object) =>
      app.call(contract.experimentCells.search, { params, body: { session_ids: set.sessionIds, ...query } })
    const search = async (query: object) =>
      (await ask(query)).body.example_ids.map((id) => set.exampleIds.indexOf(id)).sort()
    const filter = 'eq(metadata.topic, "auth")'
    expect(await search({ filter })).toEqual([0, 1])
    expect(await search({ filter, text: '"a"' })).toEqual([0])
    expect((await ask({ filter: 'eq(metadata.topic' })).status).toBe(400)
    expect((await ask({})).status).toBe(400)
  })
})

describe('cells of experiments', () => {
  it('contain every run with its example, repetition, status, error, latency and start', async () => {
    const set = await anExperimentSet(app, {
      examples: 3,
      scores: { correct: [[[1, 0], 1, undefined], [undefined]] },
      skipped: [[], [0]],
      run: (experiment, example) =>
        experiment === 1 && example === 1 ? { error: 'RateLimitError: 429\n  at call', outputs: null } : {},
    })
    const cells = await read(set)
    expect(new Set(cells.example_ids)).toEqual(new Set(set.exampleIds))
    expect(cells.deleted_count).toBe(0)
    expect(cells.splits).toEqual([['base'], ['base'], ['base']])
    expect(cells.missing_session_ids).toEqual([])
    const [first, second] = cells.experiments
    const examplesOf = (runs: { example: number[] }) => runs.example.map((at) => cells.example_ids[at])
    expect(first?.id).toBe(set.sessionIds[0])
    // Runs are ordered by start: the second repetition of the first example is the last run.
    expect(examplesOf(first!.runs)).toEqual([...set.exampleIds, set.exampleIds[0]])
    expect(first?.runs.repetition).toEqual([0, 0, 0, 1])
    expect(first?.runs.latency_ms).toEqual([500, 500, 500, 500])
    expect(first?.runs.total_cost).toEqual([null, null, null, null])
    expect(first?.runs.reported_cost).toEqual([null, null, null, null])
    expect(first?.runs.start_time[0]).toBe('2026-03-02T08:00:00.000000Z')
    expect(new Set(first?.runs.id)).toEqual(new Set(set.runIds[0]))
    expect(first?.feedback).toEqual([
      { key: 'correct', scores: [1, 1, null, 0], counts: null, labels: null, failed: [] },
    ])
    expect(second?.feedback).toEqual([])
    expect(examplesOf(second!.runs)).toEqual(set.exampleIds.slice(1))
    expect(second?.runs.status).toEqual(['error', 'success'])
    expect(cells.errors).toEqual(['RateLimitError: 429'])
    expect(second?.runs.error).toEqual([0, null])
    expect(cells.keys).toEqual([{ key: 'correct', is_lower_score_better: false, labels: [] }])
  })

  it('contain the mean of several scores of a run with their number, labels, and failed evaluators', async () => {
    const set = await anExperimentSet(app, { examples: 2 })
    const [first, second] = set.runIds[0] as [string, string]
    const give = (run_id: string, feedback: object) =>
      app.call(contract.feedback.create, { body: { run_id, ...feedback } })
    await give(first, { key: 'quality', score: 1 })
    await give(first, { key: 'quality', score: 0 })
    await give(second, { key: 'quality', score: 1 })
    await give(first, { key: 'tone', value: 'rude' })
    await give(second, { key: 'tone', value: 'kind' })
    await give(second, { key: 'judge', error: true, comment: 'timeout' })
    await give(second, { key: 'note', comment: 'no score and no label' })
    const cells = await read(set)
    expect(cells.experiments[0]?.feedback).toEqual([
      { key: 'judge', scores: [null, null], counts: null, labels: null, failed: [1] },
      { key: 'quality', scores: [0.5, 1], counts: [2, 1], labels: null, failed: [] },
      { key: 'tone', scores: [null, null], counts: null, labels: [1, 0], failed: [] },
    ])
    expect(cells.keys.map(({ key, labels }) => [key, labels])).toEqual([
      ['judge', []],
      ['quality', []],
      ['tone', ['kind', 'rude']],
    ])
  })

  it('contain tokens and costs of the whole trace', async () => {
    const usage = { input_tokens: 20, output_tokens: 10, total_tokens: 30, total_cost: 0.25 }
    const set = await anExperimentSet(app, {
      examples: 1,
      run: () => ({ run_type: 'llm', outputs: { usage_metadata: usage } }),
    })
    const cells = await read(set)
    expect(cells.experiments[0]?.runs).toMatchObject({ total_tokens: [30], total_cost: [0.25], reported_cost: [0.25] })
  })

  it('list experiments that do not exist and examples that were deleted', async () => {
    const set = await anExperimentSet(app, { examples: 2, scores: { correct: [[1, 0]] } })
    const other = await anExperimentSet(app, { examples: 1 })
    const [kept, deleted] = set.exampleIds as [string, string]
    await app.call(contract.examples.delete, { params: { example_id: deleted } })
    const missing = [uuid7(), other.sessionIds[0]]
    const cells = await read(set, { session_ids: [missing[0], set.sessionIds[0], missing[1]] })
    expect(cells.missing_session_ids).toEqual(missing)
    expect(cells.example_ids).toEqual([kept, deleted])
    expect(cells.deleted_count).toBe(1)
    expect(cells.splits).toEqual([['base'], []])
    expect(cells.experiments.map(({ id }) => id)).toEqual([set.sessionIds[0]])
  })

  it('include feedback of a comparison only when it is named', async () => {
    const set = await anExperimentSet(app, { examples: 1, scores: { correct: [[1]] } })
    const { id } = (
      await app.call(contract.comparativeExperiments.create, { body: { experiment_ids: set.sessionIds } })
    ).body
    const body = { run_id: set.runIds[0]![0], key: 'preferred', score: 1, comparative_experiment_id: id }
    await app.call(contract.feedback.create, { body })
    expect((await read(set)).keys.map(({ key }) => key)).toEqual(['correct'])
    expect((await read(set, { comparative_experiment_id: id })).keys.map(({ key }) => key)).toEqual([
      'correct',
      'preferred',
    ])
  })

  it('are empty without any experiment, and unknown for an unknown dataset', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    expect(await read(set, { session_ids: [uuid7()] })).toMatchObject({ example_ids: [], experiments: [], keys: [] })
    const params = { dataset_id: uuid7() }
    const answer = await app.call(contract.experimentCells.read, { params, body: { session_ids: set.sessionIds } })
    expect(answer.status).toBe(404)
  })
})

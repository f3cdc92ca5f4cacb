import { contract, type ExampleWithRuns, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anExperimentSet, type ExperimentSet } from '../../testing/an-experiment.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const { experiments: routes } = contract

const call = (set: ExperimentSet, body: Record<string, unknown> = {}) =>
  app.call(routes.runs, { params: { dataset_id: set.datasetId }, body: { session_ids: set.sessionIds, ...body } })

async function page(set: ExperimentSet, body: Record<string, unknown> = {}): Promise<ExampleWithRuns[]> {
  const answer = await call(set, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

const ids = (found: readonly { id: string }[]) => found.map((one) => one.id)

describe('examples with runs', () => {
  it('contain the runs of each example by session, repetitions in the order of their start', async () => {
    const set = await anExperimentSet(app, {
      examples: 3,
      scores: {
        correct: [
          [[1, 0], 1, 1],
          [0, [1, 1, 0], 0],
        ],
      },
    })
    const [a, b] = set.sessionIds as [string, string]
    const found = await page(set)
    expect(ids(found)).toEqual(set.exampleIds)
    expect(found.map((one) => one.runs.map((run) => run.session_id))).toEqual([
      [a, a, b],
      [a, b, b, b],
      [a, b],
    ])
    expect(found[1]!.runs.map((run) => run.outputs)).toEqual([
      { answer: '0/1/0' },
      { answer: '1/1/0' },
      { answer: '1/1/1' },
      { answer: '1/1/2' },
    ])
    const [example] = found
    expect(example).toMatchObject({ dataset_id: set.datasetId, inputs: { at: 0 }, outputs: { expected: 0 } })
    expect(example!.runs[0]).toMatchObject({
      name: 'target',
      run_type: 'chain',
      status: 'success',
      inputs: { at: 0 },
      inputs_preview: null,
      reference_example_id: example!.id,
      trace_id: example!.runs[0]!.id,
      start_time: '2026-03-02T08:00:00.000000Z',
      trace_min_start_time: '2026-03-02T08:00:00.000000Z',
      error: null,
      total_cost: null,
      feedback_stats: { correct: { n: 1, avg: 1 } },
      feedbacks: [{ key: 'correct', score: 1, session_id: a }],
    })
    expect(example!.runs[0]!.dotted_order).toMatch(/^20260302T080000000000Z/)
  })

  it('include examples that one session or all sessions did not run', async () => {
    const set = await anExperimentSet(app, {
      examples: 4,
      skipped: [
        [1, 3],
        [2, 3],
      ],
    })
    expect((await page(set)).map((one) => one.runs.length)).toEqual([2, 1, 1, 0])
    const [a] = set.sessionIds
    expect((await page(set, { session_ids: [a] })).map((one) => one.runs.length)).toEqual([1, 0, 1, 0])
  })

  it('contain only root runs of the requested sessions', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    const [root] = set.runIds[0]!
    const child = { id: uuid7(), name: 'step', run_type: 'tool', inputs: {}, start_time: '2026-03-02T08:00:00Z' }
    const parent = { parent_run_id: root, trace_id: root, session_id: set.sessionIds[0] }
    const body = { ...child, ...parent, reference_example_id: set.exampleIds[0] }
    await app.call(contract.runs.create, { body })
    expect((await page(set, { session_ids: [set.sessionIds[0]] }))[0]!.runs.map((run) => run.id)).toEqual([root])
  })

  it('are paged, with each example once and an empty page at the end', async () => {
    const set = await anExperimentSet(app, { examples: 25 })
    const seen: string[] = []
    for (let offset = 0; ; offset += 10) {
      const found = await page(set, { offset })
      seen.push(...ids(found))
      if (found.length === 0) break
    }
    expect(seen).toEqual(set.exampleIds)
    expect(ids(await page(set, { offset: 3, limit: 2 }))).toEqual(set.exampleIds.slice(3, 5))
    for (const bad of [{ limit: 0 }, { limit: 101 }, { offset: -1 }, { session_ids: [] }]) {
      expect((await call(set, bad)).status, JSON.stringify(bad)).toBe(400)
    }
  })

  it('contain previews instead of payloads on request', async () => {
    const long = 'x'.repeat(5000)
    const set = await anExperimentSet(app, { examples: 1, run: () => ({ outputs: { long }, inputs: { q: 1 } }) })
    const [run] = (await page(set, { preview: true }))[0]!.runs
    expect(run).toMatchObject({ inputs: null, outputs: null, inputs_preview: '{"q":1}', events: null })
    expect(run!.outputs_preview!.length).toBeLessThan(400)
  })

  it('return payloads byte for byte', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    const id = uuid7()
    const text = '{"z":12345678901234567890,"a":1.0,"__proto__":{"x":1},"é":"\\u00e9"}'
    await app.call(contract.runs.create, {
      body: `{"id":"${id}","name":"n","run_type":"chain","session_id":"${set.sessionIds[0]}","start_time":"2026-03-02T09:00:00Z",
        "reference_example_id":"${set.exampleIds[0]}","inputs":${text},"outputs":${text}}`,
    })
    const answer = await call(set)
    expect(answer.text.split(text)).toHaveLength(3)
  })

  it('are sorted by the mean score of a key over the sessions; examples without a score come last', async () => {
    const set = await anExperimentSet(app, {
      examples: 4,
      scores: {
        'key with . dots': [
          [0.5, undefined, 0.1, [0, 1]],
          [0.5, undefined, 0.9, [1, 1]],
        ],
      },
    })
    const by = (sort_order?: string) =>
      page(set, { sort_params: { sort_by: 'feedback.key with . dots', ...(sort_order && { sort_order }) } })
    const [one, two, three, four] = set.exampleIds
    expect(ids(await by())).toEqual([four, one, three, two])
    expect(ids(await by('ASC'))).toEqual([one, three, four, two])
    expect(ids(await page(set, { sort_params: { sort_by: 'feedback.key with . dots' }, offset: 1, limit: 2 }))).toEqual(
      [one, three],
    )
    expect((await call(set, { sort_params: { sort_by: 'name' } })).status).toBe(400)
  })

  it('are filtered to examples with a matching run in every filtered session', async () => {
    const set = await anExperimentSet(app, {
      examples: 4,
      scores: {
        correct: [
          [1, 1, 0, [0, 1]],
          [1, 0, 1, 1],
        ],
      },
      run: (experiment, example) => (experiment === 1 && example === 3 ? { error: 'boom' } : {}),
    })
    const [a, b] = set.sessionIds as [string, string]
    const good = 'and(eq(feedback_key, "correct"), eq(feedback_score, 1))'
    const [one, two, three, four] = set.exampleIds
    expect(ids(await page(set, { filters: { [a]: [good] } }))).toEqual([one, two, four])
    expect(ids(await page(set, { filters: { [a]: [good], [b]: [good] } }))).toEqual([one, four])
    expect(ids(await page(set, { filters: { [a]: [good], [b]: [good, 'eq(status, "success")'] } }))).toEqual([one])
    expect(ids(await page(set, { filters: { [b]: [good] }, example_ids: [three, two] }))).toEqual([three])
    expect(ids(await page(set, { filters: { [a]: [] } }))).toEqual(set.exampleIds)
    expect((await call(set, { filters: { [a]: ['eq(nonsense'] } })).status).toBe(400)
    const shown = await page(set, { session_ids: [a], filters: { [b]: ['eq(status, "error")'] } })
    expect(ids(shown)).toEqual([four])
    expect(shown[0]!.runs.map((run) => run.session_id)).toEqual([a, a])
  })

  it('are restricted to the requested examples', async () => {
    const set = await anExperimentSet(app, { examples: 3 })
    const [, two, three] = set.exampleIds
    expect(ids(await page(set, { example_ids: [three, uuid7(), two] }))).toEqual([two, three])
    expect(await page(set, { example_ids: [] })).toEqual([])
  })

  it('contain feedback of a comparison only on request', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    const comparative_experiment_id = uuid7()
    const give = (fields: object) =>
      app.call(contract.feedback.create, { body: { run_id: set.runIds[0]![0], key: 'preferred', score: 1, ...fields } })
    await give({ comparative_experiment_id })
    await give({ comparative_experiment_id: uuid7() })
    const feedbacks = async (body: object) => (await page(set, { ...body }))[0]!.runs[0]!.feedbacks
    expect(await feedbacks({})).toEqual([])
    expect(await feedbacks({ comparative_experiment_id })).toMatchObject([{ comparative_experiment_id }])
  })

  it('are sorted by scores of a comparison and scores without one', async () => {
    const set = await anExperimentSet(app, { examples: 3, scores: { preferred: [[0.5, 0.2]] } })
    const comparative_experiment_id = uuid7()
    const body = { run_id: set.runIds[0]![2], key: 'preferred', score: 0.4, comparative_experiment_id }
    await app.call(contract.feedback.create, { body })
    const [one, two, three] = set.exampleIds
    const sort_params = { sort_by: 'feedback.preferred' }
    expect(ids(await page(set, { sort_params }))).toEqual([one, two, three])
    expect(ids(await page(set, { sort_params, comparative_experiment_id }))).toEqual([one, three, two])
  })

  it('contain unusual feedback keys and labels', async () => {
    const set = await anExperimentSet(app, { examples: 1, scores: { __proto__: [] } })
    const keys = ['__proto__', '"},{"id":"x', 'constructor']
    for (const key of keys) {
      const body = { run_id: set.runIds[0]![0], key, value: '__proto__', comment: '</script>' }
      expect((await app.call(contract.feedback.create, { body })).status).toBe(200)
    }
    const run = (await page(set))[0]!.runs[0]!
    expect(run.feedbacks.map((one) => one.key).sort()).toEqual([...keys].sort())
    expect(JSON.parse((await call(set)).text)[0].runs[0].feedback_stats).toHaveProperty(['"},{"id":"x'])
  })

  it('continue without a deleted experiment and name it, in every format', async () => {
    const scores = { correct: [[1], [0]] }
    const set = await anExperimentSet(app, { examples: 1, scores })
    const [kept, other] = set.sessionIds as [string, string]
    const gone = uuid7()
    const [params, session_ids] = [{ dataset_id: set.datasetId }, [gone, kept, other]]

    const url = `/datasets/${set.datasetId}/runs`
    const read = (query: string) => app.fetch(url + query, { method: 'POST', body: JSON.stringify({ session_ids }) })
    const list = await read('')
    expect(list.headers.get('x-missing-sessions')).toBe(gone)
    expect((await list.json()) as ExampleWithRuns[]).toMatchObject([
      { runs: [{ session_id: kept }, { session_id: other }] },
    ])
    const file = await read('?format=csv')
    expect(file.headers.get('x-missing-sessions')).toBe(gone)
    expect((await file.text()).split('\n')).toHaveLength(4)

    const { body: v2 } = await app.call(routes.runsV2, { params, body: { experiment_ids: session_ids } })
    expect(v2).toMatchObject({ missing_experiment_ids: [gone], next_cursor: null })
    expect(v2.items[0]!.runs).toHaveLength(2)
    const grouped = { session_ids, group_by: 'run_metadata', metadata_key: 'model' }
    const { body: groups } = await app.call(routes.groupedRuns, { params, body: grouped })
    expect(groups).toMatchObject({ missing_session_ids: [gone] })
    const compared = { baseline_session_id: kept, comparison_session_ids: [gone, other] }
    const { body: deltas } = await app.call(routes.deltas, { params, body: { ...compared, feedback_key: 'correct' } })
    expect(deltas).toEqual({
      feedback_deltas: { [other]: { improved_examples: [], regressed_examples: set.exampleIds } },
      missing_session_ids: [gone],
    })
    const keys = JSON.stringify({ ...compared, feedback_keys: ['correct'] })
    const stream = await app.fetch(`${url}/delta/stream`, { method: 'POST', body: keys })
    expect(await stream.text()).toContain(`"errors":{"${gone}":"Session not found"}`)

    expect((await read('')).status).toBe(200)
    const complete = await app.fetch(url, { method: 'POST', body: JSON.stringify({ session_ids: [kept] }) })
    expect(complete.headers.get('x-missing-sessions')).toBeNull()
    // A filter cannot be satisfied by a session that does not exist, so it is not ignored.
    expect((await call(set, { filters: { [gone]: ['eq(status, "success")'] } })).status).toBe(404)
  })

  it('return 404 for an unknown dataset or session, and 400 for a session over another dataset', async () => {
    const [set, other] = [await anExperimentSet(app, { examples: 1 }), await anExperimentSet(app, { examples: 1 })]
    for (const answer of [await call({ ...set, datasetId: uuid7() }), await call(set, { session_ids: [uuid7()] })]) {
      expect(answer.status).toBe(404)
      expect(answer.text).toContain('not found')
    }
    expect((await call(set, { session_ids: other.sessionIds })).status).toBe(400)
  })
})

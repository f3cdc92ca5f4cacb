import { contract, type ExampleGroup, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anExperimentSet, type ExperimentSet } from '../../testing/an-experiment.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const { experiments: routes } = contract
const toParams = (set: ExperimentSet) => ({ dataset_id: set.datasetId })

describe('deltas between experiments', () => {
  const deltas = async (set: ExperimentSet, body: Record<string, unknown> = {}) => {
    const [baseline_session_id, ...comparison_session_ids] = set.sessionIds
    const answer = await app.call(routes.deltas, {
      params: toParams(set),
      body: { baseline_session_id, comparison_session_ids, feedback_key: 'correct', ...body },
    })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.feedback_deltas
  }
  const sorted = (...ids: (string | undefined)[]) => [...ids].sort()

  it('contain the examples with a higher or lower mean score; equal and missing scores are in neither list', async () => {
    const set = await anExperimentSet(app, {
      examples: 5,
      scores: {
        correct: [
          [0, 1, [0, 1], undefined, 1],
          [1, [0, 1], 0.5, 1, undefined],
          [1, 1, [1, 1], 1, 0],
        ],
      },
    })
    const [one, two, three, , five] = set.exampleIds
    const [, second, third] = set.sessionIds as [string, string, string]
    expect(await deltas(set)).toEqual({
      [second]: { improved_examples: [one], regressed_examples: [two] },
      [third]: { improved_examples: sorted(one, three), regressed_examples: [five] },
    })
    expect((await deltas(set, { limit: 1 }))[third]!.improved_examples).toEqual(sorted(one, three).slice(0, 1))
    expect((await deltas(set, { offset: 1 }))[third]).toEqual({
      improved_examples: sorted(one, three).slice(1),
      regressed_examples: [],
    })
    const filters = { [set.sessionIds[0]!]: ['and(eq(feedback_key, "correct"), eq(feedback_score, 0))'] }
    expect((await deltas(set, { filters }))[third]).toEqual({
      improved_examples: sorted(one, three),
      regressed_examples: [],
    })
  })

  it('are reversed for a key with is_lower_score_better', async () => {
    const key = `cost-${uuid7()}`
    await app.call(contract.feedbackConfigs.create, {
      body: { feedback_key: key, feedback_config: { type: 'continuous' }, is_lower_score_better: true },
    })
    const set = await anExperimentSet(app, { examples: 1, scores: { [key]: [[5], [3]] } })
    expect((await deltas(set, { feedback_key: key }))[set.sessionIds[1]!]).toEqual({
      improved_examples: set.exampleIds,
      regressed_examples: [],
    })
  })

  it('are streamed as an event for each key and an end event', async () => {
    const keys = ['a', '__proto__', 'unscored']
    const set = await anExperimentSet(app, {
      examples: 1,
      scores: Object.fromEntries(keys.slice(0, 2).map((key) => [key, [[0], [1]]])),
    })
    const [baseline_session_id, other] = set.sessionIds as [string, string]
    const response = await app.fetch(`/api/v1/datasets/${set.datasetId}/runs/delta/stream`, {
      method: 'POST',
      body: JSON.stringify({ baseline_session_id, comparison_session_ids: [other], feedback_keys: keys }),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const events = (await response.text()).split('\n\n').slice(0, -1)
    const improved = `{"improved_examples":["${set.exampleIds[0]}"],"regressed_examples":[]}`
    const none = '{"improved_examples":[],"regressed_examples":[]}'
    expect(events).toEqual([
      `event: data\ndata: {"feedback_deltas":{"a":{"${other}":${improved}}},"errors":null}`,
      `event: data\ndata: {"feedback_deltas":{"__proto__":{"${other}":${improved}}},"errors":null}`,
      `event: data\ndata: {"feedback_deltas":{"unscored":{"${other}":${none}}},"errors":null}`,
      'event: end\ndata: ',
    ])
  })

  it('return 404 for unknown experiments before the first event', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    const body = { baseline_session_id: uuid7(), comparison_session_ids: set.sessionIds, feedback_keys: ['a'] }
    const answer = await app.call(routes.deltasStream, { params: toParams(set), body })
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('not found')
  })
})

describe('examples with runs for generated clients', () => {
  const page = (set: ExperimentSet, body: Record<string, unknown> = {}) =>
    app.call(routes.runsV2, { params: toParams(set), body: { experiment_ids: set.sessionIds, ...body } })

  it('are paged and contain the selected fields', async () => {
    const set = await anExperimentSet(app, { examples: 5, scores: { correct: [[1, 0, 1, 0, 1]] } })
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { body }: Awaited<ReturnType<typeof page>> = await page(set, { page_size: 2, ...(cursor && { cursor }) })
      seen.push(...body.items.map((item) => item.id))
      cursor = body.next_cursor
    } while (cursor)
    expect(seen).toEqual(set.exampleIds)

    const { body } = await page(set, { selects: ['ID', 'STATUS', 'FEEDBACK_STATS'], page_size: 1 })
    expect(body.items[0]!.inputs).toEqual({ at: 0 })
    expect(body.items[0]!.runs).toEqual([
      {
        id: set.runIds[0]![0],
        status: 'SUCCESS',
        feedback_stats: { correct: expect.objectContaining({ n: 1, avg: 1 }) },
      },
      { id: set.runIds[1]![0], status: 'SUCCESS', feedback_stats: {} },
    ])
    expect((await page(set)).body.items[0]!.runs[0]).toEqual({ id: set.runIds[0]![0] })
  })

  it('belong to one dataset version on all pages while examples change', async () => {
    const set = await anExperimentSet(app, { examples: 4 })
    const first = await page(set, { page_size: 2 })
    await app.call(contract.examples.create, { body: { dataset_id: set.datasetId, inputs: { new: true } } })
    await app.call(contract.examples.delete, { params: { example_id: set.exampleIds[3]! } })
    const { body } = await page(set, { page_size: 2, cursor: first.body.next_cursor })
    expect(body.items.map((item) => item.id)).toEqual(set.exampleIds.slice(2))
    expect(body.next_cursor).toBeNull()
  })

  it('are sorted and filtered', async () => {
    const set = await anExperimentSet(app, { examples: 3, scores: { q: [[0.1, 0.9, 0.5]] } })
    const [one, two, three] = set.exampleIds
    const ids = async (body: object) => (await page(set, { ...body })).body.items.map((item) => item.id)
    expect(await ids({ sort: { by: 'feedback.q', order: 'DESC' } })).toEqual([two, three, one])
    const filters = { [set.sessionIds[0]!]: ['and(eq(feedback_key, "q"), gt(feedback_score, 0.3))'] }
    expect(await ids({ sort: { by: 'feedback.q', order: 'asc' }, filters })).toEqual([three, two])
    expect(await ids({ example_ids: [three] })).toEqual([three])
  })

  it('reject a foreign cursor with the error form of these routes', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    for (const cursor of ['nonsense', Buffer.from('["x",-1]').toString('base64url')]) {
      const answer = await page(set, { cursor })
      expect(answer.status).toBe(400)
      expect(JSON.parse(answer.text)).toMatchObject({ status: 400, title: 'Bad Request' })
    }
  })
})

describe('CSV export of experiments', () => {
  it('has a row for each run with its scores, and a row for each example without runs', async () => {
    const set = await anExperimentSet(app, {
      examples: [{ q: 'a,b "c"' }, { q: '=1+1' }],
      skipped: [[1], [1]],
      scores: { 'k,1': [[[1, 0]], [[0.5]]] },
    })
    const { name } = (await app.call(contract.projects.read, { params: { session_id: set.sessionIds[0]! } })).body
    const response = await app.fetch(`/api/v1/datasets/${set.datasetId}/runs?format=csv`, {
      method: 'POST',
      body: JSON.stringify({ session_ids: set.sessionIds }),
    })
    expect(response.headers.get('content-type')).toContain('text/csv')
    const lines = (await response.text()).trimEnd().split('\n')
    expect(lines).toHaveLength(5)
    expect(lines[0]).toBe(
      'example_id,inputs,reference_outputs,metadata,experiment,session_id,repetition,run_id,status,error,outputs,start_time,latency_seconds,total_tokens,total_cost,reported_cost,"feedback.k,1"',
    )
    const [one, two] = set.exampleIds
    const [a, b] = set.sessionIds
    expect(lines[1]).toBe(
      `${one},"{""q"":""a,b \\""c\\""""}","{""expected"":0}","{""dataset_split"":[""base""]}",${name},${a},1,${set.runIds[0]![0]},success,,"{""answer"":""0/0/0""}",2026-03-02T08:00:00.000000Z,0.5,0,,,1`,
    )
    expect(lines[2]).toContain(`,${a},2,`)
    expect(lines[3]).toContain(`,${b},1,`)
    expect(lines[3]).toMatch(/,0\.5$/)
    expect(lines[4]).toBe(
      `${two},"{""q"":""=1+1""}","{""expected"":1}","{""dataset_split"":[""base""]}"${','.repeat(13)}`,
    )
  })
})

describe('groups of examples and of experiments', () => {
  it('sum the costs that clients reported where no price is known, and name that part', async () => {
    const usage = { input_tokens: 20, output_tokens: 10, total_tokens: 30, total_cost: 0.25 }
    const set = await anExperimentSet(app, {
      examples: 2,
      run: () => ({ run_type: 'llm', outputs: { usage_metadata: usage }, extra: { metadata: { model: 'a' } } }),
    })
    const params = toParams(set)
    const body = { session_ids: set.sessionIds, group_by: 'run_metadata' as const, metadata_key: 'model' }
    const ofExamples = await app.call(routes.groupedRuns, { params, body })
    const [group] = ofExamples.body.groups
    const costs = { total_cost: '1', reported_cost: '1' }
    expect(group).toMatchObject({ count: 4, ...costs })
    expect(group?.sessions).toMatchObject(Array(2).fill({ total_cost: '0.5', reported_cost: '0.5' }))
    const ofExperiments = await app.call(routes.grouped, { params, body: { metadata_keys: ['model'] } })
    expect(ofExperiments.body.groups).toMatchObject([{ run_count: 4, ...costs }])
  })
})

describe('groups of examples', () => {
  const groups = async (set: ExperimentSet, body: Record<string, unknown>): Promise<ExampleGroup[]> => {
    const answer = await app.call(routes.groupedRuns, {
      params: toParams(set),
      body: { session_ids: set.sessionIds, group_by: 'run_metadata', ...body },
    })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.groups
  }

  it('are formed by a value of run metadata, with figures of the group and of each session', async () => {
    const set = await anExperimentSet(app, {
      examples: 4,
      scores: {
        correct: [
          [1, 1, 0, 0],
          [[0, 1], 1, 1, 1],
        ],
      },
      run: (experiment, example) => ({
        extra: { metadata: example === 3 ? {} : { model: example === 0 ? 'small "one"' : experiment } },
        ...(example === 1 && { error: 'boom' }),
      }),
    })
    const [a, b] = set.sessionIds
    const found = await groups(set, { metadata_key: 'model', per_group_limit: 1 })
    expect(found.map((group) => [group.group_key, group.count, group.example_count])).toEqual([
      ['small "one"', 3, 1],
      ['0', 2, 2],
      ['1', 2, 2],
    ])
    expect(found[0]).toMatchObject({
      filter: 'and(eq(metadata_key, "model"), eq(metadata_value, "small \\"one\\""))',
      error_rate: 0,
      latency_p50: 0.5,
      min_start_time: '2026-03-02T08:00:00.000000Z',
      feedback_stats: { correct: { n: 3 } },
      sessions: [
        { id: a, count: 1, feedback_stats: { correct: { n: 1, avg: 1 } } },
        { id: b, count: 2, feedback_stats: { correct: { n: 2, avg: 0.5 } } },
      ],
    })
    expect(found[0]!.examples.map((one) => one.runs.length)).toEqual([3])
    expect(found[1]).toMatchObject({ error_rate: 0.5, sessions: [{ id: a, count: 2 }] })
    expect(found[1]!.examples.map((one) => [one.id, one.runs.map((run) => run.session_id)])).toEqual([
      [set.exampleIds[1], [a]],
    ])
    expect(await groups(set, { metadata_key: 'model', offset: 1, limit: 1 })).toHaveLength(1)
    expect(await groups(set, { metadata_key: 'absent' })).toEqual([])
  })

  it('are formed by a value of example metadata, from the examples that pass the filters', async () => {
    const set = await anExperimentSet(app, { examples: 3, scores: { correct: [[1, 0, 1]] } })
    for (const [at, example_id] of set.exampleIds.entries()) {
      const body = { metadata: { level: at === 1 ? 'hard' : 'easy', deep: { x: [at] } } }
      await app.call(contract.examples.update, { params: { example_id }, body })
    }
    const found = await groups(set, { group_by: 'example_metadata', metadata_key: 'level' })
    expect(found.map((group) => [group.group_key, group.count, group.examples.map((one) => one.id).sort()])).toEqual([
      ['easy', 4, [set.exampleIds[0], set.exampleIds[2]].sort()],
      ['hard', 2, [set.exampleIds[1]]],
    ])
    expect(found[0]!.filter).toBe('has(metadata, "{\\"level\\":\\"easy\\"}")')
    const filter = found[0]!.filter
    const { body } = await app.call(contract.examples.list, { query: { dataset: set.datasetId, filter } })
    expect(body.map((one) => one.id).sort()).toEqual([set.exampleIds[0], set.exampleIds[2]].sort())

    const filters = { [set.sessionIds[0]!]: ['and(eq(feedback_key, "correct"), eq(feedback_score, 0))'] }
    const kept = await groups(set, { group_by: 'example_metadata', metadata_key: 'level', filters })
    expect(kept.map((group) => [group.group_key, group.count])).toEqual([['hard', 2]])
    const deep = await groups(set, { group_by: 'example_metadata', metadata_key: 'deep', preview: true })
    expect(deep.map((group) => group.group_key).sort()).toEqual(['{"x":[0]}', '{"x":[1]}', '{"x":[2]}'])
    expect(await groups(set, { group_by: 'example_metadata', metadata_key: "a\0'" })).toEqual([])
  })
})

describe('groups of experiments', () => {
  it('are formed by metadata values, newest first, with figures over all runs of a group', async () => {
    const set = await anExperimentSet(app, {
      examples: 2,
      scores: {
        q: [
          [1, 1],
          [0, 0],
          [1, 0],
        ],
      },
    })
    const metadata = [{ model: 'a', t: 0 }, { model: 'a', t: 0 }, { model: 'b' }]
    for (const [at, session_id] of set.sessionIds.entries()) {
      const body = { extra: { metadata: { ...metadata[at], dataset_version: `2026-01-0${at + 1}T00:00:00Z` } } }
      await app.call(contract.projects.update, { params: { session_id }, body })
    }
    const grouped = async (body: object) =>
      (await app.call(routes.grouped, { params: toParams(set), body: { metadata_keys: ['model', 't'], ...body } })).body
        .groups
    const [third, both] = await grouped({})
    const [a, b, c] = set.sessionIds
    expect(third).toMatchObject({ group_key: { model: 'b', t: null }, session_count: 1, run_count: 2 })
    expect(both).toMatchObject({
      group_key: { model: 'a', t: 0 },
      session_count: 2,
      run_count: 4,
      feedback_stats: { q: { n: 4, avg: 0.5 } },
      latency_p50: 0.5,
      error_rate: 0,
      total_cost: null,
    })
    expect(third!.sessions.map((one) => one.id)).toEqual([c])
    expect(both!.sessions.map((one) => one.id).sort()).toEqual([a, b].sort())
    expect(both!.sessions[0]!.feedback_stats).toHaveProperty('q')
    expect(await grouped({ dataset_version: '2026-01-03T01:00:00+01:00' })).toMatchObject([{ session_count: 1 }])
    expect(await grouped({ filter: 'has(metadata, "t")' })).toMatchObject([{ session_count: 2 }])
    expect(await grouped({ experiment_limit: 1 })).toHaveLength(1)
    expect(await grouped({ name_contains: 'no such name' })).toEqual([])
    const unknown = await app.call(routes.grouped, { params: { dataset_id: uuid7() }, body: { metadata_keys: ['a'] } })
    expect(unknown.status).toBe(404)
  })
})

describe('view overrides of a dataset', () => {
  it('are created once, read, replaced and deleted', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    const column_overrides = [
      {
        column: 'feedback.correct',
        precision: 2,
        color_gradient: [
          [0, 'red'],
          [1, '#0f0'],
        ],
      },
      { column: 'outputs', hide: true },
    ]
    const create = (body: object) => app.call(routes.createOverride, { params: toParams(set), body })
    const made = await create({ column_overrides })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ dataset_id: set.datasetId, column_overrides })
    const again = await create({ column_overrides })
    expect(again.status).toBe(409)
    expect(JSON.parse(again.text)).toHaveProperty('error')
    expect((await app.call(routes.listOverrides, { params: toParams(set) })).body).toEqual([made.body])

    const params = { ...toParams(set), override_id: made.body.id }
    expect((await app.call(routes.readOverride, { params })).body).toEqual(made.body)
    const changed = await app.call(routes.updateOverride, {
      params,
      body: { column_overrides: [{ column: 'metadata.a' }] },
    })
    expect(changed.body).toMatchObject({ id: made.body.id, column_overrides: [{ column: 'metadata.a' }] })
    expect((await app.call(routes.deleteOverride, { params })).status).toBe(204)
    for (const route of [routes.readOverride, routes.deleteOverride] as const) {
      const gone = await app.call(route, { params })
      expect(gone.status).toBe(404)
      expect(JSON.parse(gone.text).error).toContain('not found')
    }
  })

  it('are rejected for unknown columns and invalid values', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    const createStatus = async (column_overrides: unknown) =>
      (await app.call(routes.createOverride, { params: toParams(set), body: { column_overrides } })).status
    expect(await createStatus([{ column: 'nonsense' }])).toBe(422)
    expect(await createStatus([])).toBe(400)
    expect(await createStatus([{ column: 'outputs', precision: 9 }])).toBe(400)
    expect(await createStatus(Array.from({ length: 51 }, () => ({ column: 'inputs' })))).toBe(400)
    expect((await app.call(routes.listOverrides, { params: { dataset_id: uuid7() } })).status).toBe(404)
  })
})

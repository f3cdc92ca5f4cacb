import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const { projects: routes } = contract

async function anExperiment(fields: Record<string, unknown> = {}) {
  const body = { name: `x-${uuid7()}`, reference_dataset_id: uuid7(), ...fields }
  return (await app.call(routes.create, { body })).body
}

async function aRun(sessionId: string, fields: Record<string, unknown> = {}) {
  const run = {
    id: uuid7(),
    name: 'target',
    run_type: 'chain',
    inputs: {},
    session_id: sessionId,
    start_time: '2026-02-03T04:05:06Z',
  }
  expect((await app.call(contract.runs.create, { body: { ...run, ...fields } })).status).toBe(202)
  return run.id
}

const list = async (query: Record<string, string>) => (await app.call(routes.list, { query })).body
const read = async (id: string) =>
  (await app.call(routes.read, { params: { session_id: id }, query: { include_stats: 'true' } })).body

describe('a project that is an experiment', () => {
  it('is numbered within its dataset, also for concurrent experiments', async () => {
    const reference_dataset_id = uuid7()
    const made = await Promise.all(Array.from({ length: 5 }, () => anExperiment({ reference_dataset_id })))
    expect(made.map((one) => one.test_run_number).sort()).toEqual([1, 2, 3, 4, 5])
    expect((await anExperiment()).test_run_number).toBe(1)
    expect((await anExperiment({ reference_dataset_id: null })).test_run_number).toBeNull()
  })

  it('does not reuse a number, and uses none when its name is taken', async () => {
    const reference_dataset_id = uuid7()
    const first = await anExperiment({ reference_dataset_id })
    const again = await app.call(routes.create, { body: { name: first.name, reference_dataset_id } })
    expect(again.status).toBe(409)
    await app.call(routes.delete, { params: { session_id: first.id } })
    expect((await anExperiment({ reference_dataset_id })).test_run_number).toBe(2)
  })

  it('contains its number of root runs in lists, with and without statistics', async () => {
    const { id, name } = await anExperiment()
    expect(await list({ name })).toMatchObject([{ run_count: 0 }])
    const root = await aRun(id)
    await aRun(id)
    await aRun(id, { parent_run_id: root, trace_id: root })
    expect(await list({ name })).toMatchObject([{ id, run_count: 2 }])
    expect(await list({ name, include_stats: 'true' })).toMatchObject([{ id, run_count: 2 }])
  })

  it('is found by its dataset version in any time format', async () => {
    const reference_dataset = uuid7()
    const of = (dataset_version: unknown) =>
      anExperiment({ reference_dataset_id: reference_dataset, extra: { metadata: { dataset_version } } })
    const javaScript = await of('2025-03-01T10:05:12.345Z')
    const python = await of('2025-03-01T11:05:12.345000+01:00')
    const word = await of('not a time')
    await of('2025-03-01T10:05:12.346Z')
    await of(7)
    const found = async (dataset_version: string) =>
      (await list({ reference_dataset, dataset_version })).map((one) => one.id).sort()
    expect(await found('2025-03-01 10:05:12.345')).toEqual([javaScript.id, python.id].sort())
    expect(await found('not a time')).toEqual([word.id])
    expect(await found('2020-01-01T00:00:00Z')).toEqual([])
  })

  it('contains the progress of the announced runs', async () => {
    const keys = ['correct', '__proto__']
    const { id } = await anExperiment({ num_examples: 2, num_repetitions: 2, evaluator_keys: keys })
    const run = await aRun(id)
    await app.call(contract.feedback.create, { body: { run_id: run, key: 'correct', score: 1 } })
    expect((await read(id)).experiment_progress).toMatchObject({
      expected_run_count: 4,
      run_progress: 0.25,
      evaluator_progress: { correct: 0.25 },
    })
    const unannounced = await anExperiment({ num_examples: 'many', num_repetitions: -1 })
    expect((await read(unannounced.id)).experiment_progress).toBeNull()
  })

  it('excludes feedback of comparisons from its figures', async () => {
    const { id } = await anExperiment()
    const run = await aRun(id)
    const give = (fields: object) =>
      app.call(contract.feedback.create, { body: { run_id: run, key: 'preferred', score: 1, ...fields } })
    await give({})
    await give({ score: 0, comparative_experiment_id: uuid7() })
    await give({ run_id: null, session_id: id, comparative_experiment_id: uuid7() })
    const one = await read(id)
    expect(one.feedback_stats).toMatchObject({ preferred: { n: 1, avg: 1 } })
    expect(one.session_feedback_stats).toEqual({})
    const { body } = await app.call(contract.runs.read, { params: { run_id: run } })
    expect(body.feedback_stats).toMatchObject({ preferred: { n: 1, avg: 1 } })
  })

  it('keeps fields that are null in an update', async () => {
    const made = await anExperiment({ description: 'why', extra: { metadata: { a: 1 } } })
    const body = { name: null, description: null, end_time: null, extra: { metadata: { a: 1, dataset_version: 'v' } } }
    const changed = (await app.call(routes.update, { params: { session_id: made.id }, body })).body
    expect(changed).toEqual({ ...made, extra: { metadata: { a: 1, dataset_version: 'v' } } })
  })
})

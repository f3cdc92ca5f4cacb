import { contract, type ListedComparativeExperiment, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anExperimentSet, type ExperimentSet } from '../../testing/an-experiment.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const { comparativeExperiments: routes } = contract

const create = (body: object | string) => app.call(routes.create, { body })
const remove = (id: string) => app.call(routes.delete, { params: { comparative_experiment_id: id } })

async function list(
  datasetId: string,
  query: Record<string, string | string[]> = {},
): Promise<ListedComparativeExperiment[]> {
  return (await app.call(routes.list, { params: { dataset_id: datasetId }, query })).body
}

/** Creates a group of feedback: a score for the run of each experiment. */
async function prefer(set: ExperimentSet, comparative_experiment_id: string, example: number, scores: number[]) {
  const feedback_group_id = uuid7()
  for (const [side, score] of scores.entries()) {
    const body = {
      run_id: set.runIds[side]![example],
      key: 'preferred',
      score,
      comparative_experiment_id,
      feedback_group_id,
    }
    expect((await app.call(contract.feedback.create, { body })).status).toBe(200)
  }
}

describe('comparative experiments', () => {
  it('are created for experiments over one dataset, and listed with the feedback on each', async () => {
    const set = await anExperimentSet(app, { examples: 2 })
    const body = { id: uuid7(), experiment_ids: set.sessionIds, name: 'A vs. B', extra: { metadata: { why: 1 } } }
    const created = await create({ ...body, reference_dataset_id: set.datasetId })
    expect(created.status).toBe(200)
    expect(created.body).toMatchObject({
      id: body.id,
      name: 'A vs. B',
      description: null,
      reference_dataset_id: set.datasetId,
      extra: { metadata: { why: 1 } },
    })
    expect(created.body.created_at).toBe(created.body.modified_at)

    await prefer(set, body.id, 0, [1, 0])
    await prefer(set, body.id, 1, [0.5, 0.5])

    const [listed] = await list(set.datasetId)
    const [a, b] = set.sessionIds as [string, string]
    expect(listed).toMatchObject({ ...created.body, feedback_stats: {} })
    expect(listed!.experiments_info.map((one) => one.id)).toEqual([a, b])
    expect(listed!.feedback_stats).toEqual({ preferred: { [a]: { n: 2, avg: 0.75 }, [b]: { n: 2, avg: 0.25 } } })
  })

  it('use the dataset of the first experiment by default, and need no name', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    const { body } = await create({ experiment_ids: [set.sessionIds[0]] })
    expect(body).toMatchObject({ reference_dataset_id: set.datasetId, name: null, extra: null })
  })

  it('reject unknown experiments, experiments over different datasets, and an empty list', async () => {
    const [one, other] = [await anExperimentSet(app, { examples: 1 }), await anExperimentSet(app, { examples: 1 })]
    const plain = (await app.call(contract.projects.create, { body: { name: `p-${uuid7()}` } })).body.id
    const createStatus = async (body: object) => (await create(body)).status
    expect(await createStatus({ experiment_ids: [one.sessionIds[0], other.sessionIds[0]] })).toBe(400)
    expect(await createStatus({ experiment_ids: one.sessionIds, reference_dataset_id: other.datasetId })).toBe(400)
    expect(await createStatus({ experiment_ids: [plain] })).toBe(400)
    expect(await createStatus({ experiment_ids: [] })).toBe(400)
    expect(await createStatus({ experiment_ids: [uuid7()] })).toBe(404)
    expect(await createStatus({ experiment_ids: one.sessionIds, reference_dataset_id: uuid7() })).toBe(404)
    const id = uuid7()
    expect(await createStatus({ id, experiment_ids: one.sessionIds })).toBe(200)
    expect(await createStatus({ id, experiment_ids: one.sessionIds })).toBe(409)
  })

  it('are listed by name, part of the name or id, in pages, newest first by default', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    const named = async (name: string, created_at: string) =>
      (await create({ experiment_ids: set.sessionIds, name, created_at })).body.id
    const old = await named('beta 100%', '2026-01-01T00:00:00Z')
    const young = await named('alpha 100', '2026-01-02T00:00:00Z')
    const listIds = async (query: Record<string, string | string[]>) =>
      (await list(set.datasetId, query)).map((one) => one.id)
    expect(await listIds({})).toEqual([young, old])
    expect(await listIds({ sort_by_desc: 'False' })).toEqual([old, young])
    expect(await listIds({ sort_by: 'name', sort_by_desc: 'false' })).toEqual([young, old])
    expect(await listIds({ name: 'beta 100%' })).toEqual([old])
    expect(await listIds({ name_contains: '100%' })).toEqual([old])
    expect(await listIds({ name_contains: 'ALPHA' })).toEqual([young])
    expect(await listIds({ id: [old, uuid7()] })).toEqual([old])
    expect(await listIds({ offset: '1', limit: '1' })).toEqual([old])
    expect(await listIds({ offset: '2' })).toEqual([])
    expect(await listIds({ name: 'a\0b' })).toEqual([])
  })

  it('are deleted with their feedback but without their experiments', async () => {
    const set = await anExperimentSet(app, { examples: 1, scores: { correct: [[1], [0]] } })
    const { id } = (await create({ experiment_ids: set.sessionIds })).body
    await prefer(set, id, 0, [1, 0])
    const removed = await remove(id)
    expect(removed.status).toBe(200)
    expect(removed.text).toBe('null')
    expect(await list(set.datasetId)).toEqual([])
    const left = (await app.call(contract.feedback.list, { query: { run: set.runIds[0]! } })).body
    expect(left.map((one) => one.key)).toEqual(['correct'])
    const again = await remove(id)
    expect(again.status).toBe(404)
    expect(again.text).toContain('not found')
  })

  it('are deleted with their dataset', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    const { id } = (await create({ experiment_ids: set.sessionIds })).body
    await app.call(contract.datasets.delete, { params: { dataset_id: set.datasetId } })
    expect((await remove(id)).status).toBe(404)
    const { body } = await app.call(contract.projects.read, { params: { session_id: set.sessionIds[0]! } })
    expect(body).toMatchObject({ reference_dataset_id: null, test_run_number: null })
  })

  it('omit deleted experiments, and return extra unchanged', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    const extra = '{"z":12345678901234567890,"__proto__":1}'
    const text = `{"experiment_ids":${JSON.stringify(set.sessionIds)},"extra":${extra}}`
    expect((await create(text)).text).toContain(extra)
    await app.call(contract.projects.delete, { params: { session_id: set.sessionIds[0]! } })
    const [listed] = await list(set.datasetId)
    expect(listed!.experiments_info.map((one) => one.id)).toEqual([set.sessionIds[1]])
  })

  it('accept unusual feedback keys', async () => {
    const set = await anExperimentSet(app, { examples: 1 })
    const { id } = (await create({ experiment_ids: set.sessionIds })).body
    const body = { run_id: set.runIds[0]![0], key: '__proto__', score: 1, comparative_experiment_id: id }
    await app.call(contract.feedback.create, { body })
    const { text } = await app.call(routes.list, { params: { dataset_id: set.datasetId } })
    expect(text).toContain(`"feedback_stats":{"__proto__":{"${set.sessionIds[0]}":{"n":1,"avg":1}}}`)
  })
})

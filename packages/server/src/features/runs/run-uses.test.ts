import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aQueue, someRuns } from '../../testing/a-queue.ts'
import { aWorkspace } from '../../testing/a-workspace.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'

const { datasets, examples, runs, annotationQueues, runsV2 } = contract

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const read = async (id: string) => (await app.call(runs.read, { params: { run_id: id } })).body
const foundBy = async (filter: string) => {
  const { body } = await app.call(runs.query, { body: { filter, select: ['id'], order: 'asc' } })
  return body.runs.map(({ id }) => id)
}
const aDataset = async () => (await app.call(datasets.create, { body: { name: `d-${uuid7()}` } })).body.id
async function anExample(dataset_id: string, more: object = {}): Promise<string> {
  return (await app.call(examples.create, { body: { dataset_id, inputs: {}, ...more } })).body.id
}

describe('a run', () => {
  it('contains in_dataset while a dataset has an example of it', async () => {
    const [used, other] = await someRuns(app, 2)
    const [first, second] = [await aDataset(), await aDataset()]
    expect(await read(used!)).toMatchObject({ in_dataset: false })
    const example = await anExample(first, { source_run_id: used })
    await anExample(second, { source_run_id: used })
    expect(await read(used!)).toMatchObject({ in_dataset: true })
    expect(await read(other!)).toMatchObject({ in_dataset: false })
    expect(await foundBy('eq(in_dataset, true)')).toEqual([used])
    expect(await foundBy('neq(in_dataset, true)')).toContain(other)

    await app.call(examples.delete, { params: { example_id: example } })
    expect(await read(used!)).toMatchObject({ in_dataset: true })
    await app.call(datasets.delete, { params: { dataset_id: second } })
    expect(await read(used!)).toMatchObject({ in_dataset: false })
    expect(await foundBy('eq(in_dataset, true)')).toEqual([])
  })

  it('contains the dataset of its reference example until the dataset is deleted', async () => {
    const dataset = await aDataset()
    const example = await anExample(dataset)
    const id = uuid7()
    const run = { name: 'answer', run_type: 'chain', inputs: {}, session_name: 'on examples' }
    await app.call(runs.create, { body: { ...run, id, reference_example_id: example } })
    const madeUp = uuid7()
    await app.call(runs.create, { body: { ...run, id: madeUp, reference_example_id: uuid7() } })

    const { session_id } = await read(id)
    expect(await read(id)).toMatchObject({ reference_example_id: example, reference_dataset_id: dataset })
    expect(await read(madeUp)).toMatchObject({ reference_dataset_id: null })
    const selects = ['ID', 'REFERENCE_DATASET_ID', 'IS_IN_DATASET']
    const query = { project_id: session_id, selects }
    const v2 = (await app.call(runsV2.read, { params: { run_id: id }, query })).body
    expect(v2).toMatchObject({ id, reference_dataset_id: dataset, is_in_dataset: false })

    const ofProject = (filter: string) => `and(eq(session_id, "${session_id}"), ${filter})`
    expect(await foundBy(ofProject(`eq(reference_dataset_id, "${dataset}")`))).toEqual([id])
    expect(await foundBy(ofProject('eq(reference_dataset_id, null)'))).toEqual([madeUp])
    await app.call(examples.delete, { params: { example_id: example } })
    expect(await read(id)).toMatchObject({ reference_dataset_id: dataset })
    await app.call(datasets.delete, { params: { dataset_id: dataset } })
    expect(await read(id)).toMatchObject({ reference_dataset_id: null })
    expect(await foundBy(ofProject('eq(reference_dataset_id, null)'))).toEqual([id, madeUp])
  })

  it('contains the time when it was last added to a queue that still has it', async () => {
    const [queued, other] = await someRuns(app, 2)
    const before = new Date().toISOString()
    const queues = [await aQueue(app, {}, [queued!]), await aQueue(app, {}, [queued!])]
    const { last_queued_at } = await read(queued!)
    expect(last_queued_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(last_queued_at! >= before).toBe(true)
    expect(await read(other!)).toMatchObject({ last_queued_at: null })
    for (const queue_id of queues) await app.call(annotationQueues.delete, { params: { queue_id } })
    expect(await read(queued!)).toMatchObject({ last_queued_at: null })
  })

  it('is filtered by its uses', async () => {
    const [used] = await someRuns(app, 3, { project: 'counted by use' })
    const { session_id } = await read(used!)
    await anExample(await aDataset(), { source_run_id: used })
    const body = { session: [session_id], filter: 'eq(in_dataset, true)' }
    expect((await app.call(contract.runStats.stats, { body })).body).toMatchObject({ run_count: 1 })
    expect(
      (await app.call(contract.runStats.stats, { body: { ...body, filter: 'eq(in_dataset, false)' } })).body,
    ).toMatchObject({
      run_count: 2,
    })
  })
})

describe('a workspace', () => {
  it('does not see uses in another workspace, also for runs with the same id', async () => {
    const both = await startApp()
    const [ours, theirs] = [await aWorkspace(both, 'ours'), await aWorkspace(both, 'theirs')]
    const id = uuid7()
    const body = { id, name: 'same id', run_type: 'chain', inputs: {}, session_name: 'same' }
    for (const { headers } of [ours, theirs]) await both.call(runs.create, { body, headers })
    const { headers } = ours
    const dataset_id = (await both.call(datasets.create, { body: { name: 'd' }, headers })).body.id
    await both.call(examples.create, { body: { dataset_id, inputs: {}, source_run_id: id }, headers })

    const seenBy = async ({ headers }: { headers: Readonly<Record<string, string>> }) => {
      const found = await both.call(runs.query, { body: { filter: 'eq(in_dataset, true)' }, headers })
      const run = await both.call(runs.read, { params: { run_id: id }, headers })
      return { found: found.body.runs.length, in_dataset: run.body.in_dataset }
    }
    expect(await seenBy(ours)).toEqual({ found: 1, in_dataset: true })
    expect(await seenBy(theirs)).toEqual({ found: 0, in_dataset: false })
    await both.close()
  })
})

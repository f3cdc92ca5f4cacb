import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aQueue } from '../../../testing/a-queue.ts'
import { anExperimentSet } from '../../../testing/an-experiment.ts'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

let app: StartedApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const resolve = async (id: string) => (await app.call(contract.traces.resolve, { params: { id } })).body

describe('resolve an id', () => {
  it('finds runs, experiments, datasets and examples with the page of each', async () => {
    const { datasetId, exampleIds, sessionIds, runIds } = await anExperimentSet(app, { examples: 2 })
    const dataset = await resolve(datasetId)
    const root = dataset.app_path.replace(/\/datasets\/.*/, '')
    expect(dataset).toMatchObject({ kind: 'dataset', id: datasetId, app_path: `${root}/datasets/${datasetId}` })
    expect(await resolve(exampleIds[1] ?? '')).toEqual({
      kind: 'example',
      id: exampleIds[1],
      name: 'Example 2',
      app_path: `${root}/datasets/${datasetId}/e/${exampleIds[1]}`,
    })
    expect(await resolve(sessionIds[0] ?? '')).toMatchObject({
      kind: 'experiment',
      app_path: `${root}/datasets/${datasetId}/compare?selectedSessions=${sessionIds[0]}`,
    })
    expect(await resolve(runIds[0]?.[0] ?? '')).toMatchObject({ kind: 'run', name: 'target' })
  })

  it('finds an annotation queue', async () => {
    const id = await aQueue(app, { name: 'Triage' })
    const found = await resolve(id)
    expect(found).toMatchObject({ kind: 'queue', id, name: 'Triage' })
    expect(found.app_path).toMatch(new RegExp(`^/o/[^/]+/annotation-queues/${id}$`))
  })

  it('leads to the project of an experiment whose dataset was deleted', async () => {
    const { datasetId, sessionIds } = await anExperimentSet(app, { examples: 1 })
    await app.call(contract.datasets.delete, { params: { dataset_id: datasetId } })
    const [id = ''] = sessionIds
    expect(await resolve(id)).toMatchObject({ kind: 'project', id })
    expect((await app.call(contract.traces.resolve, { params: { id: datasetId } })).status).toBe(404)
  })

  it('answers 404 for an unknown id', async () => {
    const answer = await app.call(contract.traces.resolve, { params: { id: uuid7() } })
    expect(answer.status).toBe(404)
  })
})

import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aProjectName, collect } from '../../clients/javascript/a-client.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { callOf, type WatchedClient, watchClient } from '../support/watch-client.ts'

let server: SharedServer
let watched: WatchedClient
beforeAll(async () => {
  server = await shareServer()
  watched = watchClient(server.url)
})
beforeEach(() => void watched.taken())
afterAll(() => server?.stop())

describe('calls about projects', () => {
  it('POST /sessions creates one, and with upsert takes the one that is there', async () => {
    const { id: datasetId } = await watched.client.createDataset(aProjectName('reference'))
    watched.taken()
    const projectName = aProjectName('made')
    const params = {
      projectName,
      description: 'x',
      metadata: { a: 1 },
      projectExtra: { b: 2 },
      referenceDatasetId: datasetId,
    }
    const made = await watched.client.createProject(params)
    expect(made).toMatchObject({
      name: projectName,
      description: 'x',
      extra: { b: 2, metadata: { a: 1 } },
      reference_dataset_id: datasetId,
    })
    const body = {
      name: projectName,
      extra: { b: 2, metadata: { a: 1 } },
      description: 'x',
      reference_dataset_id: datasetId,
    }
    expect(watched.taken()).toEqual([{ call: callOf(contract.projects.create), query: {}, body }])
    await expect(watched.client.createProject(params)).rejects.toMatchObject({ status: 409 })
    expect(await watched.client.createProject({ ...params, upsert: true })).toMatchObject({ id: made.id })
    expect(watched.taken()[1]).toEqual({ call: callOf(contract.projects.create), query: { upsert: 'true' }, body })
  })

  it('PATCH /sessions/{id} changes name, description, extra and the end', async () => {
    const { id } = await watched.client.createProject({ projectName: aProjectName('before') })
    watched.taken()
    const [name, endTime] = [aProjectName('after'), '2030-01-02T03:04:05.000Z']
    const update = { name, description: 'y', metadata: { c: 3 }, endTime }
    const changed = await watched.client.updateProject(id, update)
    expect(changed).toMatchObject({ id, name, description: 'y', extra: { metadata: { c: 3 } } })
    expect(Date.parse(changed.end_time!)).toBe(Date.parse(endTime))
    expect(watched.taken()).toEqual([
      {
        call: callOf(contract.projects.update),
        query: {},
        body: { name, description: 'y', extra: { metadata: { c: 3 } }, end_time: endTime },
      },
    ])
  })

  it('GET /sessions and /sessions/{id} read one by name or id, with figures when asked', async () => {
    const projectName = aProjectName('read')
    const { id: projectId, tenant_id } = await watched.client.createProject({ projectName })
    watched.taken()
    expect(await watched.client.readProject({ projectId, includeStats: true })).toMatchObject({
      id: projectId,
      run_count: 0,
    })
    expect(await watched.client.readProject({ projectName })).toMatchObject({ id: projectId })
    expect(await watched.client.hasProject({ projectName: `${projectName} not` })).toBe(false)
    const url = await watched.client.getProjectUrl({ projectId })
    expect(url).toBe(`${server.url}/o/${tenant_id}/projects/p/${projectId}`)
    const [read, list] = [callOf(contract.projects.read), callOf(contract.projects.list)]
    expect(watched.taken()).toEqual([
      { call: read, query: { include_stats: 'true' } },
      { call: list, query: { name: projectName } },
      { call: list, query: { name: `${projectName} not` } },
      { call: read, query: {} },
      { call: list, query: { limit: '1' } },
    ])
  })

  it('GET /sessions filters by id, name, part of a name, dataset, absence of one, and metadata', async () => {
    const { client, taken } = watched
    const { id: dataset } = await client.createDataset(aProjectName('of'))
    const [experiment, plain] = [aProjectName('experiment'), aProjectName('plain')]
    const { id } = await client.createProject({
      projectName: experiment,
      referenceDatasetId: dataset,
      metadata: { m: 1 },
    })
    await client.createProject({ projectName: plain })
    taken()
    const names = async (params: Parameters<typeof client.listProjects>[0]) =>
      (await collect(client.listProjects(params))).map(({ name }) => name)
    expect(await names({ projectIds: [id] })).toEqual([experiment])
    expect(await names({ name: experiment })).toEqual([experiment])
    expect(await names({ nameContains: plain.slice(2) })).toEqual([plain])
    expect(await names({ referenceDatasetId: dataset })).toEqual([experiment])
    const free = await names({ referenceFree: true })
    expect(free).toContain(plain)
    expect(free).not.toContain(experiment)
    expect(await names({ metadata: { m: 1 } })).toEqual([experiment])
    const sent = taken()
    expect(new Set(sent.map(({ call }) => call))).toEqual(new Set([callOf(contract.projects.list)]))
    expect(sent.map(({ query: { offset, limit, ...filters } }) => filters)).toEqual([
      { id },
      { name: experiment },
      { name_contains: plain.slice(2) },
      { reference_dataset: dataset },
      { reference_free: 'true' },
      { metadata: '{"m":1}' },
    ])
  })

  it('DELETE /sessions/{id} deletes one, found by name where no id is given', async () => {
    const projectName = aProjectName('gone')
    await watched.client.createProject({ projectName })
    watched.taken()
    await watched.client.deleteProject({ projectName })
    expect(watched.taken().map(({ call }) => call)).toEqual([
      callOf(contract.projects.list),
      callOf(contract.projects.delete),
    ])
    expect(await watched.client.hasProject({ projectName })).toBe(false)
  })
})

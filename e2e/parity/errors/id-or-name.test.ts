import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { errorOf, refusalOf } from '../support/refusal-of.ts'
import { type WatchedClient, watchClient } from '../support/watch-client.ts'

let server: SharedServer
let watched: WatchedClient
beforeAll(async () => {
  server = await shareServer()
  watched = watchClient(server.url)
})
beforeEach(() => void watched.taken())
afterAll(() => server?.stop())

const datasetId = randomUUID()
const asOf = 'latest'
const versions = { fromVersion: 'latest', toVersion: 'latest' }
const split = { splitName: 's', exampleIds: [] }

type Key = { datasetId?: string; datasetName?: string }
type Client = WatchedClient['client']

/** Every call that takes a dataset by id or name, and its error when neither is given. */
const OF_DATASETS: [name: string, call: (client: Client, key: Key) => unknown, neither: string][] = [
  ['readDataset', (client, key) => client.readDataset(key), 'Must provide datasetName or datasetId'],
  ['hasDataset', (client, key) => client.hasDataset(key), 'Must provide datasetName or datasetId'],
  ['deleteDataset', (client, key) => client.deleteDataset(key), 'Must provide datasetName or datasetId'],
  [
    'updateDataset',
    (client, key) => client.updateDataset({ ...key, name: 'n' }),
    'Must provide either datasetName or datasetId',
  ],
  [
    'updateDatasetTag',
    (client, key) => client.updateDatasetTag({ ...key, asOf, tag: 't' }),
    'Must provide either datasetName or datasetId',
  ],
  [
    'diffDatasetVersions',
    (client, key) => client.diffDatasetVersions({ ...key, ...versions }),
    'Must provide either datasetName or datasetId',
  ],
  [
    'readDatasetOpenaiFinetuning',
    (client, key) => client.readDatasetOpenaiFinetuning(key),
    'Must provide either datasetName or datasetId',
  ],
  ['indexDataset', (client, key) => client.indexDataset(key), 'Must provide either datasetName or datasetId'],
  ['getDatasetUrl', (client, key) => client.getDatasetUrl(key), 'Must provide either datasetName or datasetId'],
  ['createExample', (client, key) => client.createExample({}, {}, key), 'Must provide either datasetName or datasetId'],
  [
    'createExamples',
    (client, key) => client.createExamples({ inputs: [{}], ...key }),
    'Must provide either datasetName or datasetId',
  ],
  ['listExamples', (client, key) => client.listExamples(key), 'Must provide a datasetName or datasetId'],
  ['listDatasetSplits', (client, key) => client.listDatasetSplits(key), 'Must provide dataset name or ID'],
  [
    'updateDatasetSplits',
    (client, key) => client.updateDatasetSplits({ ...key, ...split }),
    'Must provide dataset name or ID',
  ],
]

describe('exactly one of id and name', () => {
  it.each(OF_DATASETS)('of a dataset is asked for by %s, before any request', async (_, call, neither) => {
    const both = { datasetId, datasetName: 'a' }
    expect(await refusalOf(() => call(watched.client, both))).toBe(
      'Must provide either datasetName or datasetId, not both',
    )
    expect(await refusalOf(() => call(watched.client, {}))).toBe(neither)
    expect(watched.taken()).toEqual([])
  })

  it('of a project is asked for, before any request', async () => {
    const { client } = watched
    const both = { projectId: datasetId, projectName: 'a' }
    type ProjectKey = Parameters<Client['readProject']>[0]
    const calls = [
      (key: ProjectKey) => client.readProject(key),
      (key: ProjectKey) => client.hasProject(key),
      (key: ProjectKey) => client.deleteProject(key),
    ]
    for (const call of calls) {
      expect(await refusalOf(() => call(both))).toBe('Must provide either projectName or projectId, not both')
      expect(await refusalOf(() => call({}))).toBe('Must provide projectName or projectId')
    }
    expect(watched.taken()).toEqual([])
  })

  it('of a dataset to share is asked for, before any request', async () => {
    const { client } = watched
    expect(await refusalOf(() => client.shareDataset())).toBe('Either datasetId or datasetName must be given')
    expect(await refusalOf(() => client.readDatasetSharedSchema())).toBe(
      'Either datasetId or datasetName must be given',
    )
    expect(watched.taken()).toEqual([])
  })

  it('of time and tag names a version, before any request', async () => {
    const { client } = watched
    const sentence = 'Exactly one of asOf and tag must be specified.'
    expect(await refusalOf(() => client.readDatasetVersion({ datasetId }))).toBe(sentence)
    expect(await refusalOf(() => client.readDatasetVersion({ datasetId, asOf, tag: 't' }))).toBe(sentence)
    expect(watched.taken()).toEqual([])
  })

  it('of run and project is judged by feedback, before any request', async () => {
    const { client } = watched
    const call = (runId: string | null, projectId?: string) => () => client.createFeedback(runId, 'k', { projectId })
    expect(await refusalOf(call(null))).toBe('One of runId or projectId must be provided')
    expect(await refusalOf(call(datasetId, datasetId))).toBe('Only one of runId or projectId can be provided')
    expect(watched.taken()).toEqual([])
  })
})

describe('what is not found', () => {
  it('is named by id and name when a list is empty, and does not exist', async () => {
    const { client } = watched
    const [datasetName, projectName] = ['no such dataset', 'no such project']
    const dataset = await errorOf(() => client.readDataset({ datasetName }))
    expect(dataset.message).toBe('Dataset[id=undefined, name=no such dataset] not found')
    expect(dataset.status).toBe(404)
    const project = await errorOf(() => client.readProject({ projectName }))
    expect(project.message).toBe('Project[id=undefined, name=no such project] not found')
    expect(await client.hasDataset({ datasetName })).toBe(false)
    expect(await client.hasDataset({ datasetId })).toBe(false)
    expect(await client.hasProject({ projectName })).toBe(false)
    expect(await client.hasProject({ projectId: datasetId })).toBe(false)
  })
})

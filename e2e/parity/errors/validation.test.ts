import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aProjectName } from '../../clients/javascript/a-client.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { refusalOf } from '../support/refusal-of.ts'
import { type WatchedClient, watchClient } from '../support/watch-client.ts'

let server: SharedServer
let watched: WatchedClient
beforeAll(async () => {
  server = await shareServer()
  watched = watchClient(server.url)
})
beforeEach(() => void watched.taken())
afterAll(() => server?.stop())

type Client = WatchedClient['client']
const id = randomUUID()

/** Every call that takes an id, with one that is none. */
const OF_IDS: [name: string, call: (client: Client) => unknown][] = [
  ['shareRun', (client) => client.shareRun('x')],
  ['unshareRun', (client) => client.unshareRun('x')],
  ['readRunSharedLink', (client) => client.readRunSharedLink('x')],
  ['listSharedRuns', (client) => client.listSharedRuns('x')],
  ['readProject', (client) => client.readProject({ projectId: 'x' })],
  ['updateProject', (client) => client.updateProject('x', { name: 'n' })],
  ['deleteProject', (client) => client.deleteProject({ projectId: 'x' })],
  ['readDataset', (client) => client.readDataset({ datasetId: 'x' })],
  ['updateDataset', (client) => client.updateDataset({ datasetId: 'x', name: 'n' })],
  ['deleteDataset', (client) => client.deleteDataset({ datasetId: 'x' })],
  ['shareDataset', (client) => client.shareDataset('x')],
  ['unshareDataset', (client) => client.unshareDataset('x')],
  ['readSharedDataset', (client) => client.readSharedDataset('x')],
  ['similarExamples', (client) => client.similarExamples({}, 'x', 1)],
  ['readExample', (client) => client.readExample('x')],
  ['deleteExample', (client) => client.deleteExample('x')],
  ['updateExample', (client) => client.updateExample({ id: 'x', inputs: {} })],
  ['readFeedback', (client) => client.readFeedback('x')],
  ['updateFeedback', (client) => client.updateFeedback('x', { score: 1 })],
  ['deleteFeedback', (client) => client.deleteFeedback('x')],
  ['createPresignedFeedbackToken', (client) => client.createPresignedFeedbackToken('x', 'k')],
]

/** The same for calls whose message names one of several ids. */
const OF_NAMED_IDS: [name: string, call: (client: Client) => unknown, field: string][] = [
  ['listProjects', (client) => client.listProjects({ projectIds: [id, 'x'] }), 'projectIds[1]'],
  ['listDatasets', (client) => client.listDatasets({ datasetIds: ['x'] }), 'datasetIds[0]'],
  ['listExamples', (client) => client.listExamples({ datasetId: id, exampleIds: ['x'] }), 'exampleIds[0]'],
  ['createFeedback', (client) => client.createFeedback('x', 'k'), 'runId'],
  ['readAnnotationQueue', (client) => client.readAnnotationQueue('x'), 'queueId'],
  ['deleteAnnotationQueue', (client) => client.deleteAnnotationQueue('x'), 'queueId'],
  ['listAnnotationQueues', (client) => client.listAnnotationQueues({ queueIds: ['x'] }), 'queueIds[0]'],
  ['addRunsToAnnotationQueue', (client) => client.addRunsToAnnotationQueue(id, ['x']), 'runs[0]'],
  ['deleteRunFromAnnotationQueue', (client) => client.deleteRunFromAnnotationQueue(id, 'x'), 'queueRunId'],
]

describe('an id that is none', () => {
  it.each(OF_IDS)('is refused by %s, before any request', async (_, call) => {
    expect(await refusalOf(() => call(watched.client))).toBe('Invalid UUID: x')
    expect(watched.taken()).toEqual([])
  })

  it.each(OF_NAMED_IDS)('is named by %s, before any request', async (_, call, field) => {
    expect(await refusalOf(() => call(watched.client))).toBe(`Invalid UUID for ${field}: x`)
    expect(watched.taken()).toEqual([])
  })
})

describe('an example', () => {
  it('that is given whole excludes outputs and options beside it', async () => {
    const createExample = watched.client.createExample.bind(watched.client) as (...args: unknown[]) => Promise<unknown>
    const sentence = 'Cannot provide outputs or options when using ExampleCreate object'
    const whole = { dataset_id: id, inputs: {} }
    expect(await refusalOf(() => createExample(whole, {}))).toBe(sentence)
    expect(await refusalOf(() => createExample(whole, undefined, { datasetId: id }))).toBe(sentence)
    expect(watched.taken()).toEqual([])
  })

  it('of many in columns needs inputs', async () => {
    const columns = { datasetId: id, outputs: [{}] }
    expect(await refusalOf(() => watched.client.createExamples(columns))).toBe(
      'Must provide inputs when using legacy parameters',
    )
    expect(watched.taken()).toEqual([])
  })

  it('is not sent to a server that has no multipart endpoint', async () => {
    const { client } = watchClient(server.url, {
      fetchImplementation: async (input, init) => {
        const answer = await fetch(input, init)
        if (!String(input).endsWith('/info')) return answer
        return Response.json({
          ...(await answer.json()),
          instance_flags: { dataset_examples_multipart_enabled: false },
        })
      },
    })
    const { id: datasetId } = await client.createDataset(aProjectName('old'))
    const sentence =
      'Your deployment does not allow using the multipart examples endpoint, please upgrade your deployment to the latest version.'
    expect(await refusalOf(() => client.createExample({ dataset_id: datasetId, inputs: {} }))).toBe(sentence)
    expect(await refusalOf(() => client.updateExample({ id, dataset_id: datasetId, inputs: {} }))).toBe(sentence)
  })
})

describe('a comparison', () => {
  it('needs an experiment and a dataset', async () => {
    const { client } = watched
    const none = () => client.createComparativeExperiment({ name: 'n', experimentIds: [] })
    expect(await refusalOf(none)).toBe('At least one experiment is required')
    expect(watched.taken()).toEqual([])
    const { id: projectId } = await client.createProject({ projectName: aProjectName('plain') })
    const one = () => client.createComparativeExperiment({ name: 'n', experimentIds: [projectId] })
    expect(await refusalOf(one)).toBe('A reference dataset is required')
  })
})

describe('statistics', () => {
  it('need a project', async () => {
    expect(await refusalOf(() => watched.client.getRunStats({}))).toBe(
      'At least one of projectNames or projectIds must be provided.',
    )
  })
})

import { randomUUID } from 'node:crypto'
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

async function makeDataset(rows = 0) {
  const name = aProjectName('called')
  const { id: datasetId, tenant_id } = await watched.client.createDataset(name)
  const given = Array.from({ length: rows }, (_, at) => ({
    dataset_id: datasetId,
    inputs: { question: `question number ${at}` },
    outputs: { answer: at },
  }))
  const examples = await watched.client.createExamples(given)
  watched.taken()
  return { datasetId, name, tenant_id, examples }
}

describe('calls about shared datasets', () => {
  it('PUT, GET and DELETE /datasets/{id}/share open a dataset, tell its token and close it', async () => {
    const { datasetId } = await makeDataset()
    const share = await watched.client.shareDataset(datasetId)
    expect(share.url).toBe(`${server.url}/public/${share.share_token}/d`)
    expect(await watched.client.readDatasetSharedSchema(datasetId)).toEqual(share)
    await watched.client.unshareDataset(datasetId)
    expect(watched.taken()).toEqual([
      { call: callOf(contract.datasetSharing.share), query: {}, body: { dataset_id: datasetId } },
      { call: callOf(contract.datasetSharing.readShare), query: {} },
      { call: callOf(contract.datasetSharing.unshare), query: {} },
    ])
    await expect(watched.client.readSharedDataset(share.share_token)).rejects.toMatchObject({ status: 404 })
  })

  it('GET /public/{token}/datasets and /public/{token}/examples need the token alone', async () => {
    const { datasetId, name, examples } = await makeDataset(3)
    const { share_token } = await watched.client.shareDataset(datasetId)
    const stranger = watchClient(server.url, { apiKey: 'an unknown key' })
    expect(await stranger.client.readSharedDataset(share_token)).toMatchObject({ id: datasetId, name })
    expect(await stranger.client.listSharedExamples(share_token)).toHaveLength(3)
    const exampleIds = [examples[0]!.id, examples[2]!.id]
    const some = await stranger.client.listSharedExamples(share_token, { exampleIds })
    expect(some.map(({ id }) => id).sort()).toEqual([...exampleIds].sort())
    const [dataset, all, chosen] = stranger.taken()
    expect(dataset).toEqual({ call: callOf(contract.datasetSharing.publicDataset), query: {} })
    expect(all!.call).toBe(callOf(contract.datasetSharing.publicExamples))
    expect(all!.query).not.toHaveProperty('id')
    expect(chosen!.query).toMatchObject({ id: exampleIds })
  })
})

describe('calls about datasets', () => {
  it('POST /datasets/upload sends the file, its columns and what the dataset is to be', async () => {
    const name = aProjectName('csv')
    const csvFile = new Blob(['q,a\none,1\n'], { type: 'text/csv' })
    const params = { csvFile, fileName: 'rows.csv', inputKeys: ['q'], outputKeys: ['a'], name, description: 'rows' }
    const dataset = await watched.client.uploadCsv({ ...params, dataType: 'kv' })
    expect(dataset).toMatchObject({ name, description: 'rows', data_type: 'kv' })
    const [sent] = watched.taken()
    expect(sent!.call).toBe(callOf(contract.datasetFiles.upload))
    const parts = Array.from(String(sent!.body).matchAll(/ name="(\w+)"/g), ([, part]) => part).sort()
    expect(parts).toEqual(['data_type', 'description', 'file', 'input_keys', 'name', 'output_keys'])
    const [example] = await collect(watched.client.listExamples({ datasetId: dataset.id }))
    expect(example).toMatchObject({ inputs: { q: 'one' }, outputs: { a: '1' } })
  })

  it('POST /datasets creates one, kv unless it is said otherwise', async () => {
    const name = aProjectName('made')
    const made = await watched.client.createDataset(name, { description: 'x', metadata: { a: 1 } })
    expect(made).toMatchObject({ name, description: 'x', data_type: 'kv', metadata: { a: 1 } })
    expect(watched.taken()).toEqual([
      {
        call: callOf(contract.datasets.create),
        query: {},
        body: { name, description: 'x', extra: { source: 'sdk', metadata: { a: 1 } } },
      },
    ])
  })

  it('GET /datasets and /datasets/{id} read one, and list by limit, offset, id, name, part of it and metadata', async () => {
    const { datasetId, name, tenant_id } = await makeDataset()
    const { client } = watched
    expect(await client.readDataset({ datasetId })).toMatchObject({ name })
    expect(await client.readDataset({ datasetName: name })).toMatchObject({ id: datasetId })
    expect(await client.hasDataset({ datasetName: `${name} not` })).toBe(false)
    expect(await client.getDatasetUrl({ datasetId })).toBe(`${server.url}/o/${tenant_id}/datasets/${datasetId}`)
    watched.taken()
    const ids = async (params: Parameters<typeof client.listDatasets>[0]) =>
      (await collect(client.listDatasets(params))).map(({ id }) => id)
    expect(await ids({ datasetIds: [datasetId] })).toEqual([datasetId])
    expect(await ids({ datasetName: name })).toEqual([datasetId])
    expect(await ids({ datasetNameContains: name.slice(3) })).toEqual([datasetId])
    expect(await ids({ datasetName: name, metadata: { none: 1 } })).toEqual([])
    expect(await ids({ datasetName: name, limit: 1, offset: 1 })).toEqual([])
    const list = callOf(contract.datasets.list)
    expect(watched.taken()).toEqual([
      { call: list, query: { id: datasetId, limit: '100', offset: '0' } },
      { call: list, query: { name, limit: '100', offset: '0' } },
      { call: list, query: { name_contains: name.slice(3), limit: '100', offset: '0' } },
      { call: list, query: { name, metadata: '{"none":1}', limit: '100', offset: '0' } },
      { call: list, query: { name, limit: '1', offset: '1' } },
    ])
  })

  it('PATCH and DELETE /datasets/{id} change one and delete it', async () => {
    const { datasetId, name } = await makeDataset()
    await watched.client.updateDataset({ datasetId, name: `${name}-2`, description: 'y' })
    expect(await watched.client.readDataset({ datasetId })).toMatchObject({ name: `${name}-2`, description: 'y' })
    await watched.client.deleteDataset({ datasetId })
    expect(await watched.client.hasDataset({ datasetId })).toBe(false)
    expect(watched.taken().map(({ call }) => call)).toEqual([
      callOf(contract.datasets.update),
      callOf(contract.datasets.read),
      callOf(contract.datasets.delete),
      callOf(contract.datasets.read),
    ])
  })

  it('GET /datasets/{id}/version reads one by time or tag, PUT /datasets/{id}/tags names it', async () => {
    const { datasetId, examples } = await makeDataset(1)
    const { client } = watched
    const { as_of } = await client.readDatasetVersion({ datasetId, tag: 'latest' })
    await client.updateDatasetTag({ datasetId, asOf: as_of, tag: 'prod' })
    expect(await client.readDatasetVersion({ datasetId, tag: 'prod' })).toMatchObject({ as_of })
    expect(await client.readDatasetVersion({ datasetId, asOf: as_of })).toMatchObject({ as_of })
    expect(examples[0]!.modified_at).toBe(as_of)
    const version = callOf(contract.datasetVersions.read)
    expect(watched.taken()).toEqual([
      { call: version, query: { tag: 'latest' } },
      { call: callOf(contract.datasetVersions.tag), query: {}, body: { as_of, tag: 'prod' } },
      { call: version, query: { tag: 'prod' } },
      { call: version, query: { as_of } },
    ])
  })

  it('GET /datasets/{id}/versions/diff tells two versions apart', async () => {
    const { datasetId, examples } = await makeDataset(1)
    const { client } = watched
    const { as_of: fromVersion } = await client.readDatasetVersion({ datasetId, tag: 'latest' })
    await client.deleteExample(examples[0]!.id)
    watched.taken()
    expect(await client.diffDatasetVersions({ datasetId, fromVersion, toVersion: 'latest' })).toEqual({
      examples_modified: [],
      examples_added: [],
      examples_removed: [examples[0]!.id],
    })
    const query = { from_version: fromVersion, to_version: 'latest' }
    expect(watched.taken()).toEqual([{ call: callOf(contract.datasetVersions.diff), query }])
  })

  it('GET /datasets/{id}/openai_ft reads lines of JSON', async () => {
    const { id: datasetId } = await watched.client.createDataset(aProjectName('chat'), { dataType: 'chat' })
    const message = (type: string, content: string) => ({ type, data: { content } })
    await watched.client.createChatExample([message('human', 'Hi')], message('ai', 'Hello'), { datasetId })
    watched.taken()
    expect(await watched.client.readDatasetOpenaiFinetuning({ datasetId })).toEqual([
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
        ],
      },
    ])
    expect(watched.taken()).toEqual([{ call: callOf(contract.datasetFiles.openaiFineTuning), query: {} }])
  })

  it('POST /datasets/{id}/index and /datasets/{id}/search find examples like some inputs', async () => {
    const { datasetId, examples } = await makeDataset(3)
    await watched.client.indexDataset({ datasetId, tag: 'latest' })
    const found = await watched.client.similarExamples({ question: 'question number 2' }, datasetId, 1)
    expect(found).toMatchObject([{ id: examples[2]!.id }])
    const filter = 'eq(metadata.none, 1)'
    expect(await watched.client.similarExamples({ question: 'number' }, datasetId, 1, { filter })).toEqual([])
    const search = callOf(contract.datasetSearch.search)
    expect(watched.taken()).toEqual([
      { call: callOf(contract.datasetSearch.index), query: {}, body: { tag: 'latest' } },
      { call: search, query: {}, body: { limit: 1, inputs: { question: 'question number 2' } } },
      { call: search, query: {}, body: { limit: 1, inputs: { question: 'number' }, filter } },
    ])
  })

  it('GET and PUT /datasets/{id}/splits read the names and move examples', async () => {
    const { datasetId, examples } = await makeDataset(2)
    const exampleIds = [examples[0]!.id]
    await watched.client.updateDatasetSplits({ datasetId, splitName: 'train', exampleIds })
    expect(await watched.client.listDatasetSplits({ datasetId })).toEqual(['base', 'train'])
    await watched.client.updateDatasetSplits({ datasetId, splitName: 'train', exampleIds, remove: true })
    const update = callOf(contract.datasetVersions.updateSplits)
    expect(watched.taken()).toEqual([
      { call: update, query: {}, body: { split_name: 'train', examples: exampleIds, remove: false } },
      { call: callOf(contract.datasetVersions.listSplits), query: {} },
      { call: update, query: {}, body: { split_name: 'train', examples: exampleIds, remove: true } },
    ])
  })

  it('POST /datasets/comparative names experiments over one dataset', async () => {
    const { datasetId } = await makeDataset()
    const project = (word: string) =>
      watched.client.createProject({ projectName: aProjectName(word), referenceDatasetId: datasetId })
    const experimentIds = [(await project('one')).id, (await project('two')).id]
    watched.taken()
    const [id, createdAt] = [randomUUID(), new Date()]
    const params = { id, name: 'pair', experimentIds, description: 'x', metadata: { a: 1 }, createdAt }
    const made = await watched.client.createComparativeExperiment(params)
    expect(made).toMatchObject({ id, reference_dataset_id: datasetId })
    expect(watched.taken()).toEqual([
      { call: callOf(contract.projects.read), query: {} },
      {
        call: callOf(contract.comparativeExperiments.create),
        query: {},
        body: {
          id,
          name: 'pair',
          experiment_ids: experimentIds,
          reference_dataset_id: datasetId,
          description: 'x',
          created_at: createdAt.toISOString(),
          extra: { metadata: { a: 1 } },
        },
      },
    ])
  })
})

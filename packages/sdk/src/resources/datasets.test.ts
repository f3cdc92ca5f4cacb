import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '6f3b2a54-0c0e-4d0e-9a55-0f3a3c6e1d01'
const OTHER = '9c2e2d4e-51b0-4b63-9d0c-7a0b1f0c2201'
const TENANT = '1f0c5d0e-7c0e-4b0d-8a4e-2f6f7c1a9b10'
const dataset = { id: ID, tenant_id: TENANT, name: 'cities' }
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(({ path }) => {
    if (path === '/datasets') return { body: [dataset] }
    if (path === '/sessions') return { body: [{ id: OTHER, tenant_id: TENANT }] }
    return { body: path === `/datasets/${ID}` ? dataset : {} }
  })
  client = new Client({ apiUrl: server.url, apiKey: 'k', webUrl: 'https://web.example' })
})
afterEach(() => server.stop())

const lastBody = () => JSON.parse(server.requests.at(-1)!.body.toString())
const sent = () =>
  server.requests.map(({ method, path, query }) => `${method} ${path}${query.size > 0 ? `?${query}` : ''}`)

describe('the dataset rules of the client', () => {
  const both = { datasetId: ID, datasetName: 'a' }
  const NOT_BOTH = 'Must provide either datasetName or datasetId, not both'
  const TO_READ = 'Must provide datasetName or datasetId'
  const NEITHER = 'Must provide either datasetName or datasetId'
  const OF_SPLITS = 'Must provide dataset name or ID'
  const range = { fromVersion: 'a', toVersion: 'b' }
  const tag = { asOf: 'a', tag: 'b' }
  const split = { splitName: 's', exampleIds: [ID] }

  it.each([
    ['readDataset both', () => client.readDataset(both), NOT_BOTH],
    ['readDataset none', () => client.readDataset({}), TO_READ],
    ['hasDataset both', () => client.hasDataset(both), NOT_BOTH],
    ['hasDataset none', () => client.hasDataset({}), TO_READ],
    ['updateDataset both', () => client.updateDataset({ ...both, name: 'b' }), NOT_BOTH],
    ['updateDataset none', () => client.updateDataset({ name: 'b' }), NEITHER],
    ['deleteDataset both', () => client.deleteDataset(both), NOT_BOTH],
    ['deleteDataset none', () => client.deleteDataset({}), TO_READ],
    ['getDatasetUrl both', () => client.getDatasetUrl(both), NOT_BOTH],
    ['getDatasetUrl none', () => client.getDatasetUrl({}), NEITHER],
    ['diffDatasetVersions both', () => client.diffDatasetVersions({ ...both, ...range }), NOT_BOTH],
    ['diffDatasetVersions none', () => client.diffDatasetVersions(range), NEITHER],
    ['readDatasetOpenaiFinetuning both', () => client.readDatasetOpenaiFinetuning(both), NOT_BOTH],
    ['readDatasetOpenaiFinetuning none', () => client.readDatasetOpenaiFinetuning({}), NEITHER],
    ['updateDatasetTag both', () => client.updateDatasetTag({ ...both, ...tag }), NOT_BOTH],
    ['updateDatasetTag none', () => client.updateDatasetTag(tag), NEITHER],
    ['readDatasetVersion both', () => client.readDatasetVersion({ ...both, tag: 'a' }), NOT_BOTH],
    ['readDatasetVersion none', () => client.readDatasetVersion({ tag: 'a' }), TO_READ],
    [
      'readDatasetVersion of a time and a tag',
      () => client.readDatasetVersion({ datasetId: ID, ...tag }),
      'Exactly one of asOf and tag must be specified.',
    ],
    [
      'readDatasetVersion of neither',
      () => client.readDatasetVersion({ datasetId: ID }),
      'Exactly one of asOf and tag must be specified.',
    ],
    ['listDatasetSplits both', () => client.listDatasetSplits(both), NOT_BOTH],
    ['listDatasetSplits none', () => client.listDatasetSplits({}), OF_SPLITS],
    ['updateDatasetSplits both', () => client.updateDatasetSplits({ ...both, ...split }), NOT_BOTH],
    ['updateDatasetSplits none', () => client.updateDatasetSplits(split), OF_SPLITS],
    [
      'updateDatasetSplits with a bad id',
      () => client.updateDatasetSplits({ datasetId: ID, splitName: 's', exampleIds: [ID, 'x'] }),
      'Invalid UUID for exampleIds[1]: x',
    ],
    ['indexDataset both', () => client.indexDataset(both), NOT_BOTH],
    ['indexDataset none', () => client.indexDataset({}), NEITHER],
    ['similarExamples bad id', () => client.similarExamples({}, 'x', 1), 'Invalid UUID: x'],
    ['readDataset bad id', () => client.readDataset({ datasetId: 'x' }), 'Invalid UUID: x'],
    ['deleteDataset bad id', () => client.deleteDataset({ datasetId: 'x' }), 'Invalid UUID: x'],
    ['exportDataset none', () => client.exportDataset({ format: 'csv' }), NEITHER],
    [
      'listDatasets bad id',
      () => client.listDatasets({ datasetIds: [ID, 'x'] }).next(),
      'Invalid UUID for datasetIds[1]: x',
    ],
  ])('refuse %s before any request', async (_, call, message) => {
    const error: unknown = await call().catch((error: unknown) => error)
    expect(error).toHaveProperty('message', message)
    expect(server.requests).toHaveLength(0)
  })

  it('say which dataset was not found by name', async () => {
    server.respond(() => ({ body: [] }))
    await expect(client.readDataset({ datasetName: 'gone' })).rejects.toMatchObject({
      message: 'Dataset[id=undefined, name=gone] not found',
      status: 404,
    })
  })

  it('name the call that failed', async () => {
    server.respond(() => ({ status: 400, body: { detail: 'no' } }))
    const why = async (call: Promise<unknown>) => (await call.catch((error: Error) => error.message)) as string
    const datasetId = ID
    expect(await why(client.createDataset('a'))).toContain('Failed to create dataset. Received status [400]')
    expect(await why(client.readDataset({ datasetId }))).toContain(`Failed to fetch /datasets/${ID}. `)
    expect(await why(client.deleteDataset({ datasetId }))).toContain(`Failed to delete /datasets/${ID}. `)
    expect(await why(client.updateDataset({ datasetId }))).toContain('Failed to update dataset. ')
    expect(await why(client.updateDatasetTag({ datasetId, ...tag }))).toContain('Failed to update dataset tags. ')
    expect(await why(client.indexDataset({ datasetId }))).toContain('Failed to index dataset. ')
    expect(await why(client.similarExamples({}, ID, 1))).toContain('Failed to fetch similar examples. ')
    expect(await why(client.readDatasetVersion({ datasetId, tag: 'a' }))).toContain('Failed to read dataset version. ')
    expect(await why(client.updateDatasetSplits({ datasetId, ...split }))).toContain('Failed to update dataset splits.')
  })
})

describe('creating a dataset', () => {
  it('sends its metadata as extra, and its schemas as they are', async () => {
    const schema = { type: 'object', properties: { b: {}, a: {} } }
    await client.createDataset('d', { inputsSchema: schema, metadata: { owner: 'qa' }, dataType: 'chat' })
    expect(lastBody()).toEqual({
      name: 'd',
      extra: { source: 'sdk', metadata: { owner: 'qa' } },
      data_type: 'chat',
      inputs_schema_definition: schema,
    })
    await client.createDataset('d', { description: 'words' })
    expect(lastBody()).toEqual({ name: 'd', description: 'words', extra: { source: 'sdk' } })
  })
})

describe('looking a dataset up', () => {
  it('is one read by id and the list by name', async () => {
    expect(await client.readDataset({ datasetId: ID })).toEqual(dataset)
    expect(await client.readDataset({ datasetName: 'cities' })).toEqual(dataset)
    expect(sent()).toEqual([`GET /datasets/${ID}`, 'GET /datasets?limit=1&name=cities'])
  })

  it('tells absence from failure', async () => {
    expect(await client.hasDataset({ datasetId: ID })).toBe(true)
    server.respond(() => ({ status: 404, body: 'gone' }))
    expect(await client.hasDataset({ datasetId: ID })).toBe(false)
    server.respond(() => ({ body: [] }))
    expect(await client.hasDataset({ datasetName: 'gone' })).toBe(false)
    server.respond(() => ({ status: 400, body: { detail: 'Dataset was not found' } }))
    await expect(client.hasDataset({ datasetId: ID })).rejects.toMatchObject({ status: 400 })
  })
})

describe('listing datasets', () => {
  it('ends at the limit, whatever a page holds', async () => {
    server.respond(({ query }) => ({ body: Array.from({ length: Number(query.get('limit')) }, () => dataset) }))
    const all: unknown[] = []
    for await (const one of client.listDatasets({ limit: 150, offset: 7, datasetNameContains: 'c' })) all.push(one)
    expect(all).toHaveLength(150)
    expect(sent()).toEqual([
      'GET /datasets?name_contains=c&offset=7&limit=100',
      'GET /datasets?name_contains=c&offset=107&limit=50',
    ])
  })

  it('passes metadata as text', async () => {
    await client.listDatasets({ metadata: { a: 1 }, datasetIds: [ID] }).next()
    expect(server.requests[0]!.query.get('metadata')).toBe('{"a":1}')
    await client.queryDatasets({ metadata: { a: 1 }, sort_by: 'name', sort_by_desc: false })
    expect(sent()[1]).toBe(`GET /datasets?metadata=${encodeURIComponent('{"a":1}')}&sort_by=name&sort_by_desc=false`)
  })
})

describe('changing a dataset', () => {
  it('sends what is given, null to clear', async () => {
    await client.updateDataset({ datasetName: 'cities', name: 'towns', description: null })
    expect(sent()).toEqual(['GET /datasets?limit=1&name=cities', `PATCH /datasets/${ID}`])
    expect(lastBody()).toEqual({ name: 'towns', description: null })
  })

  it('looks up by name what it deletes', async () => {
    await client.deleteDataset({ datasetName: 'cities' })
    expect(sent().at(-1)).toBe(`DELETE /datasets/${ID}`)
  })
})

describe('versions', () => {
  const datasetId = ID
  it('are named by time or tag', async () => {
    const at = new Date('2025-03-01T10:00:00.123Z')
    await client.diffDatasetVersions({ datasetId, fromVersion: at, toVersion: 'prod' })
    await client.readDatasetVersion({ datasetId, asOf: at })
    await client.readDatasetVersion({ datasetId, tag: 'prod' })
    await client.listDatasetSplits({ datasetId, asOf: 'prod' })
    await client.updateDatasetTag({ datasetId, asOf: at, tag: 'prod' })
    const time = '2025-03-01T10%3A00%3A00.123Z'
    expect(sent()).toEqual([
      `GET /datasets/${ID}/versions/diff?from_version=${time}&to_version=prod`,
      `GET /datasets/${ID}/version?as_of=${time}`,
      `GET /datasets/${ID}/version?tag=prod`,
      `GET /datasets/${ID}/splits?as_of=prod`,
      `PUT /datasets/${ID}/tags`,
    ])
    expect(lastBody()).toEqual({ as_of: at.toISOString(), tag: 'prod' })
  })

  it('are listed newest first, those of one example too', async () => {
    server.respond(() => ({ body: [{ as_of: 'x', tags: ['latest'] }] }))
    const versions: unknown[] = []
    for await (const version of client.listDatasetVersions({ datasetId, exampleId: OTHER })) versions.push(version)
    expect(versions).toEqual([{ as_of: 'x', tags: ['latest'] }])
    expect(sent()).toEqual([`GET /datasets/${ID}/versions?example=${OTHER}&offset=0&limit=100`])
  })

  it('are restored, whole or some examples of them', async () => {
    server.respond(() => ({ body: { as_of: 'x', added: 1, modified: 0, removed: 2 } }))
    expect(await client.restoreDatasetVersion({ datasetId, asOf: 'prod' })).toMatchObject({ added: 1, removed: 2 })
    await client.restoreDatasetVersion({ datasetId, asOf: new Date(0), exampleIds: [OTHER] })
    expect(sent().at(-1)).toBe(`POST /datasets/${ID}/versions/restore`)
    expect(lastBody()).toEqual({ as_of: '1970-01-01T00:00:00.000Z', examples: [OTHER] })
  })

  it('carry splits', async () => {
    await client.updateDatasetSplits({ datasetId, splitName: 'train', exampleIds: [OTHER] })
    expect(sent()).toEqual([`PUT /datasets/${ID}/splits`])
    expect(lastBody()).toEqual({ split_name: 'train', examples: [OTHER], remove: false })
  })
})

describe('files of a dataset', () => {
  it('are uploaded with their name, and each column as a part', async () => {
    const csvFile = new Blob(['q,a\n1+1,2\n'])
    await client.uploadCsv({
      csvFile,
      fileName: 'sums "1".csv',
      inputKeys: ['q', 'r'],
      outputKeys: ['a'],
      name: 'sums',
    })
    const [request] = server.requests
    const text = request!.body.toString()
    expect(request).toMatchObject({ method: 'POST', path: '/datasets/upload' })
    expect(text).toContain(
      'name="file"; filename="sums %221%22.csv"\r\nContent-Type: text/csv; length=10\r\n\r\nq,a\n1+1,2\n\r\n',
    )
    expect(text).toContain('form-data; name="input_keys"\r\n\r\nq\r\n')
    expect([...text.matchAll(/name="(\w+)"/g)].map(([, name]) => name)).toEqual([
      'file',
      'input_keys',
      'input_keys',
      'output_keys',
      'name',
    ])
  })

  it('are read line by line, and an empty one is an empty list', async () => {
    server.respond(() => ({ body: '{"messages":[]}\n{"messages":[1]}\n' }))
    expect(await client.readDatasetOpenaiFinetuning({ datasetId: ID })).toEqual([{ messages: [] }, { messages: [1] }])
    server.respond(() => ({ body: '' }))
    expect(await client.readDatasetOpenaiFinetuning({ datasetId: ID })).toEqual([])
    expect(sent()[0]).toBe(`GET /datasets/${ID}/openai_ft`)
  })

  it('come in other forms too', async () => {
    server.respond(() => ({ body: 'id,q\n' }))
    expect(await client.exportDataset({ datasetId: ID, format: 'csv', asOf: 'prod' })).toBe('id,q\n')
    expect(sent()).toEqual([`GET /datasets/${ID}/csv?as_of=prod`])
  })
})

describe('copying examples', () => {
  it('names source, target and which', async () => {
    server.respond(() => ({ body: [{ id: OTHER, inputs: {}, attachment_urls: null }] }))
    const params = { sourceDatasetId: ID, targetDatasetId: OTHER, asOf: 'prod', split: 'train' }
    expect(await client.copyExamples(params)).toEqual([{ id: OTHER, inputs: {} }])
    expect(sent()).toEqual(['POST /datasets/clone'])
    expect(lastBody()).toEqual({ source_dataset_id: ID, target_dataset_id: OTHER, as_of: 'prod', split: 'train' })
    await expect(client.copyExamples({ ...params, sourceDatasetId: 'x' })).rejects.toThrow('Invalid UUID for')
  })
})

describe('searching a dataset', () => {
  it('sends inputs, limit and filter', async () => {
    server.respond(() => ({ body: { examples: [{ id: OTHER }] } }))
    const filter = 'eq(metadata.k, "v")'
    expect(await client.similarExamples({ q: 'x' }, ID, 3, { filter })).toEqual([{ id: OTHER }])
    expect(lastBody()).toEqual({ limit: 3, inputs: { q: 'x' }, filter })
    await client.indexDataset({ datasetId: ID, tag: 'latest' })
    expect(sent()).toEqual([`POST /datasets/${ID}/search`, `POST /datasets/${ID}/index`])
    expect(lastBody()).toEqual({ tag: 'latest' })
  })
})

describe('links to a dataset', () => {
  it('name the workspace, learnt once', async () => {
    expect(await client.getDatasetUrl({ datasetName: 'cities' })).toBe(`https://web.example/o/${TENANT}/datasets/${ID}`)
    expect(
      await client.getComparisonUrl({ datasetId: ID, experimentIds: [OTHER, ID], comparativeExperimentId: ID }),
    ).toBe(
      `https://web.example/o/${TENANT}/datasets/${ID}/compare?selectedSessions=${OTHER},${ID}&comparativeExperiment=${ID}`,
    )
    expect(sent()).toEqual(['GET /datasets?limit=1&name=cities', 'GET /sessions?limit=1'])
  })
})

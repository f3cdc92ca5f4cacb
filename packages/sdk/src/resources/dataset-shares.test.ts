import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { partsOf, Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '6f3b2a54-0c0e-4d0e-9a55-0f3a3c6e1d01'
const COPY = '7f3b2a54-0c0e-4d0e-9a55-0f3a3c6e1d02'
const TOKEN = '5f2c8a9e-6b1d-4c3a-8f7e-1a2b3c4d5e6f'
const PAGE = `https://elsewhere.example/public/${TOKEN}/d`
const shared = {
  id: ID,
  name: 'cities',
  description: 'Country to capital',
  created_at: '2025-03-01T10:00:00.000Z',
  data_type: 'kv',
  inputs_schema_definition: { type: 'object' },
  outputs_schema_definition: null,
  transformations: null,
  example_count: 3,
}
let server: Recorder
let client: Client
let said: string[]

beforeEach(async () => {
  server = await Recorder.start(() => ({ body: { dataset_id: ID, share_token: TOKEN } }))
  said = []
  const logger = { info: (text: string) => void said.push(text), warn: (text: string) => void said.push(text) }
  client = new Client({ apiUrl: server.url, apiKey: 'secret', webUrl: 'https://web.example', logger })
})
afterEach(() => server.stop())

const sent = () =>
  server.requests.map(({ method, path, query }) => `${method} ${path}${query.size > 0 ? `?${query}` : ''}`)

describe('the rules of sharing datasets', () => {
  const NEITHER = 'Either datasetId or datasetName must be given'
  const NO_TOKEN = 'Invalid public dataset URL or token'
  it.each([
    ['shareDataset none', () => client.shareDataset(), NEITHER],
    ['readDatasetSharedSchema none', () => client.readDatasetSharedSchema(), NEITHER],
    ['shareDataset bad id', () => client.shareDataset('x'), 'Invalid UUID: x'],
    ['unshareDataset bad id', () => client.unshareDataset('x'), 'Invalid UUID: x'],
    ['readSharedDataset bad token', () => client.readSharedDataset('x'), 'Invalid UUID: x'],
    ['listSharedExamples bad token', () => client.listSharedExamples('x'), `${NO_TOKEN}: x`],
    [
      'listSharedExamples bad id',
      () => client.listSharedExamples(TOKEN, { exampleIds: ['x'] }),
      'Invalid UUID for exampleIds[0]: x',
    ],
    ['clonePublicDataset bad token', () => client.clonePublicDataset('x'), `${NO_TOKEN}: x`],
    [
      'clonePublicDataset of a page without a token',
      () => client.clonePublicDataset('https://h/public/not-a-token/d'),
      `${NO_TOKEN}: https://h/public/not-a-token/d`,
    ],
  ])('refuse %s before any request', async (_, call, message) => {
    const error: unknown = await call().catch((error: unknown) => error)
    expect(error).toHaveProperty('message', message)
    expect(server.requests).toHaveLength(0)
  })
})

describe('sharing a dataset', () => {
  const link = { dataset_id: ID, share_token: TOKEN, url: `https://web.example/public/${TOKEN}/d` }

  it('answers its token and page', async () => {
    expect(await client.shareDataset(ID)).toEqual(link)
    expect(await client.readDatasetSharedSchema(ID)).toEqual(link)
    await client.shareDataset(ID, undefined, { shareProjects: true })
    await client.shareDataset(ID, undefined, { shareProjects: false })
    await client.unshareDataset(ID)
    const path = `/datasets/${ID}/share`
    expect(sent()).toEqual([
      `PUT ${path}`,
      `GET ${path}`,
      `PUT ${path}?share_projects=true`,
      `PUT ${path}?share_projects=false`,
      `DELETE ${path}`,
    ])
    expect(JSON.parse(server.requests[0]!.body.toString())).toEqual({ dataset_id: ID })
    expect(server.requests[0]!.headers['content-type']).toBe('application/json')
  })

  it('finds the dataset by name', async () => {
    server.respond(({ path }) => ({ body: path === '/datasets' ? [{ id: ID }] : { share_token: TOKEN } }))
    await client.shareDataset(undefined, 'cities')
    expect(sent()).toEqual(['GET /datasets?limit=1&name=cities', `PUT /datasets/${ID}/share`])
  })

  it('returns no token before it is shared', async () => {
    server.respond(() => ({ body: null }))
    await expect(client.readDatasetSharedSchema(ID)).rejects.toMatchObject({ status: 404 })
    await expect(client.shareDataset(ID)).rejects.toThrow(/^Invalid response from server$/)
  })
})

describe('reading a shared dataset', () => {
  it('takes the token or the page', async () => {
    server.respond(() => ({ body: shared }))
    expect(await client.readSharedDataset(TOKEN)).toEqual(shared)
    await client.readSharedDataset(PAGE)
    expect(sent()).toEqual([`GET /public/${TOKEN}/datasets`, `GET /public/${TOKEN}/datasets`])
  })

  it('lists every example, page after page', async () => {
    const examples = Array.from({ length: 230 }, (_, at) => ({ id: String(at), inputs: {}, attachment_urls: null }))
    server.respond(({ query }) => {
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
      return { body: examples.slice(offset, offset + limit) }
    })
    const listed = await client.listSharedExamples(PAGE)
    expect(listed.map(({ id }) => id)).toEqual(examples.map(({ id }) => id))
    expect(listed[0]).toEqual({ id: '0', inputs: {} })
    await client.listSharedExamples(TOKEN, { exampleIds: [ID] })
    expect(sent()[3]).toBe(`GET /public/${TOKEN}/examples?id=${ID}&offset=0&limit=100`)
  })

  it.each([
    [
      { detail: 'Shared dataset not found' },
      'Failed to list shared examples.\nStatus: 404\nMessage: Shared dataset not found',
    ],
    [{ detail: ['one', { msg: 'two' }] }, 'Failed to list shared examples.\nStatus: 404\nMessage: one\n{"msg":"two"}'],
    [{ detail: '' }, 'Failed to list shared examples.\nStatus: 404\nMessage: Unspecified error'],
    [{ error: 'gone' }, 'Failed to list shared examples: 404 Not Found'],
    ['gone', 'Failed to list shared examples: 404 Not Found'],
  ])('reports the reason of a failure: %j', async (body, message) => {
    server.respond(() => ({ status: 404, body }))
    const error = await client.listSharedExamples(TOKEN).catch((error: Error) => error)
    expect(error).toMatchObject({ message, status: 404, name: 'LangSmithNotFoundError' })
  })
})

describe('cloning a public dataset', () => {
  const examples = [
    { id: '1', inputs: { q: 1 }, outputs: { a: 1 }, metadata: { level: 1, dataset_split: ['train'] } },
    { id: '2', inputs: { q: 2 }, outputs: null, metadata: { dataset_split: ['base'] } },
    {
      id: '3',
      inputs: { q: 3 },
      outputs: { a: 3 },
      metadata: { dataset_split: ['base'] },
      attachment_urls: { 'attachment.photo.png': { presigned_url: '/files/photo', mime_type: 'image/png' } },
    },
  ]
  let existing: string[]

  beforeEach(() => {
    existing = []
    server.info = { instance_flags: { dataset_examples_multipart_enabled: true } }
    server.respond(({ path, method, query }) => {
      if (path === '/info') return undefined
      if (path.endsWith('/datasets') && path.startsWith('/public')) return { body: shared }
      if (path.startsWith('/public')) return { body: query.get('offset') === '0' ? examples : [] }
      if (path === '/files/photo') return { body: 'pixels' }
      if (path === '/datasets' && method === 'GET') return { body: existing.map((name) => ({ id: ID, name })) }
      if (path === '/datasets') return { body: { id: COPY } }
      return { body: { count: 3, example_ids: [], as_of: 'now' } }
    })
  })

  it('copies dataset and examples in the order of the calls agreed, as a stranger at the source', async () => {
    await client.clonePublicDataset(PAGE)

    expect(sent()).toEqual([
      `GET /public/${TOKEN}/datasets`,
      'GET /datasets?limit=1&name=cities',
      `GET /public/${TOKEN}/examples?offset=0&limit=100`,
      'POST /datasets',
      'GET /info',
      'GET /files/photo',
      `POST /platform/datasets/${COPY}/examples`,
    ])
    const keys = server.requests.map(({ headers }) => headers['x-api-key'])
    expect(keys).toEqual(['placeholder', 'secret', 'placeholder', 'secret', 'secret', undefined, 'secret'])
    expect(JSON.parse(server.requests[3]!.body.toString())).toEqual({
      name: 'cities',
      description: 'Country to capital',
      extra: { source: 'sdk' },
      data_type: 'kv',
      inputs_schema_definition: { type: 'object' },
      outputs_schema_definition: null,
      transformations: null,
    })
  })

  it('keeps outputs with their inputs, metadata, splits and attachments', async () => {
    await client.clonePublicDataset(TOKEN)

    const parts = partsOf(server.requests.at(-1)!)
    const ids = [...new Set(parts.map(({ name }) => name.slice(0, 36)))]
    const said = ids.map((id) =>
      parts
        .filter(({ name }) => name.startsWith(id))
        .map(({ name, type, data }) => [name.slice(37), type, data.toString()]),
    )
    const json = 'application/json'
    expect(said).toEqual([
      [
        ['', json, '{"metadata":{"level":1,"dataset_split":["train"]}}'],
        ['inputs', json, '{"q":1}'],
        ['outputs', json, '{"a":1}'],
      ],
      [
        ['', json, '{"metadata":{"dataset_split":["base"]}}'],
        ['inputs', json, '{"q":2}'],
      ],
      [
        ['', json, '{"metadata":{"dataset_split":["base"]}}'],
        ['inputs', json, '{"q":3}'],
        ['outputs', json, '{"a":3}'],
        ['attachment.photo.png', 'image/png', 'pixels'],
      ],
    ])
  })

  it('reads from the server named, and writes to its own, under another name if asked', async () => {
    const source = await Recorder.start(({ path }) => ({ body: path.endsWith('/datasets') ? shared : [] }))
    await client.clonePublicDataset(TOKEN, { sourceApiUrl: source.url, datasetName: 'copy' })
    expect(source.requests.map(({ path }) => path)).toEqual([`/public/${TOKEN}/datasets`, `/public/${TOKEN}/examples`])
    expect(sent()).toEqual(['GET /datasets?limit=1&name=copy', 'POST /datasets'])
    await source.stop()
  })

  it('is skipped with a message when the dataset exists', async () => {
    existing = ['cities']
    await client.clonePublicDataset(TOKEN)
    expect(said).toEqual(['Dataset cities already exists in your tenant. Skipping.'])
    expect(server.requests).toHaveLength(2)
  })

  it('makes nothing when the examples cannot be read', async () => {
    server.respond(({ path }) => {
      if (path.endsWith('/examples')) return { status: 404, body: { detail: 'Shared dataset not found' } }
      return { body: path === '/datasets' ? [] : shared }
    })
    await expect(client.clonePublicDataset(TOKEN)).rejects.toThrow('Failed to list shared examples')
    expect(sent().some((call) => call.startsWith('POST'))).toBe(false)
  })

  it('names the manual steps when the examples cannot be written', async () => {
    server.info = { instance_flags: {} }
    await expect(client.clonePublicDataset(TOKEN)).rejects.toThrow('Your deployment does not allow')
    expect(said).toEqual(['An error occurred while creating dataset cities. You should delete it manually.'])
  })
})

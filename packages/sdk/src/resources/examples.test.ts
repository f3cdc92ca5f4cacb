import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Part, partsOf, type Recorded, Recorder } from '../../test/recorder.ts'
import { Client, type ExampleCreate, type UploadProgress } from '../index.ts'

const DATASET = '6f3b2a54-0c0e-4d0e-9a55-0f3a3c6e1d01'
const ID = '9c2e2d4e-51b0-4b63-9d0c-7a0b1f0c2201'
const RUN = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'
const AS_OF = '2025-03-01T10:05:12.345Z'
const UPLOAD = `/platform/datasets/${DATASET}/examples`
let server: Recorder
let client: Client

const idsOf = (request: Recorded) => partsOf(request).flatMap(({ name }) => (name.length === 36 ? [name] : []))
const stored = (id: string) => ({ id, dataset_id: DATASET, inputs: {}, created_at: AS_OF, modified_at: AS_OF })

/** A server that has whatever it is asked for. */
function obliging(request: Recorded) {
  const { method, path, query } = request
  if (path === '/info') return undefined
  if (path === UPLOAD) {
    const example_ids = idsOf(request)
    return { status: 201, body: { count: example_ids.length, example_ids, as_of: AS_OF } }
  }
  if (path === '/datasets') return { body: [{ id: DATASET, name: 'cities' }] }
  if (path === '/examples' && method === 'GET') return { body: query.getAll('id').reverse().map(stored) }
  return { body: stored(path.slice('/examples/'.length)) }
}

beforeEach(async () => {
  server = await Recorder.start(obliging)
  server.info = { instance_flags: { dataset_examples_multipart_enabled: true } }
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

const sent = () =>
  server.calls.map(({ method, path, query }) => `${method} ${path}${query.size > 0 ? `?${query}` : ''}`)
const uploads = () => server.requests.filter(({ path }) => path === UPLOAD)
const readable = ({ name, type, data }: Part) => [name, type, data.toString()]
const many = (count: number, example: Partial<ExampleCreate> = {}): ExampleCreate[] =>
  Array.from({ length: count }, (_, at) => ({ dataset_id: DATASET, inputs: { at }, ...example }))

describe('the example rules of the client', () => {
  const NOT_BOTH = 'Must provide either datasetName or datasetId, not both'
  const NEITHER = 'Must provide either datasetName or datasetId'
  const object = { dataset_id: DATASET, inputs: {} }
  // biome-ignore lint/suspicious/noExplicitAny: what the types forbid is what these rules are for
  const loose = () => client as any
  it.each([
    [
      'an example object with outputs',
      () => loose().createExample(object, {}),
      'Cannot provide outputs or options when using ExampleCreate object',
    ],
    [
      'an example object with options',
      () => loose().createExample({ dataset_name: 'a', inputs: {} }, undefined, {}),
      'Cannot provide outputs or options when using ExampleCreate object',
    ],
    ['no dataset', () => loose().createExample({ q: 1 }, { a: 1 }, {}), NEITHER],
    ['no dataset and no options', () => loose().createExample({ q: 1 }, { a: 1 }), NEITHER],
    [
      'a dataset twice',
      () => client.createExample({ q: 1 }, { a: 1 }, { datasetId: DATASET, datasetName: 'a' }),
      NOT_BOTH,
    ],
    ['a dataset twice in an object', () => client.createExample({ ...object, dataset_name: 'a' }), NOT_BOTH],
    ['examples of no dataset', () => client.createExamples([{ inputs: {} }]), NEITHER],
    ['columns of no dataset', () => client.createExamples({ inputs: [{}] }), NEITHER],
    [
      'columns without inputs',
      () => client.createExamples({ outputs: [{}], datasetId: DATASET }),
      'Must provide inputs when using legacy parameters',
    ],
    [
      'examples of two datasets',
      () => client.createExamples([object, { dataset_id: ID, inputs: {} }]),
      `All examples must be of one dataset, not of ${DATASET} and ${ID}`,
    ],
    ['a dataset that is no UUID', () => client.createExample({ dataset_id: 'x', inputs: {} }), 'Invalid UUID: x'],
    ['an id that is no UUID', () => client.createExample({ ...object, id: 'x' }), 'Invalid UUID: x'],
    [
      'a run that is no UUID',
      () => client.createExample({ ...object, source_run_id: 'x' }),
      'Invalid UUID for source_run_id: x',
    ],
    ['listing of no dataset', () => client.listExamples({}).next(), 'Must provide a datasetName or datasetId'],
    [
      'listing of a dataset twice',
      () => client.listExamples({ datasetId: DATASET, datasetName: 'a' }).next(),
      NOT_BOTH,
    ],
    [
      'listing of a bad id',
      () => client.listExamples({ datasetId: DATASET, exampleIds: [ID, 'x'] }).next(),
      'Invalid UUID for exampleIds[1]: x',
    ],
    ['readExample bad id', () => client.readExample('x'), 'Invalid UUID: x'],
    ['updateExample bad id', () => client.updateExample({ id: 'x' }), 'Invalid UUID: x'],
    ['updateExample bad id, as of old', () => client.updateExample('x', {}), 'Invalid UUID: x'],
    ['updateExamples bad id', () => client.updateExamples([{ id: ID }, { id: 'x' }]), 'Invalid UUID: x'],
    ['deleteExample bad id', () => client.deleteExample('x'), 'Invalid UUID: x'],
    ['deleteExamples bad id', () => client.deleteExamples([ID, 'x']), 'Invalid UUID for exampleIds[1]: x'],
    ['upload to a bad id', () => client.uploadExamplesMultipart('x', []), 'Invalid UUID: x'],
  ])('refuse %s before any request', async (_, call, message) => {
    const error: unknown = await call().catch((error: unknown) => error)
    expect(error).toHaveProperty('message', message)
    expect(server.requests).toHaveLength(0)
  })

  it.each([[{}], [{ instance_flags: {} }], [{ instance_flags: { dataset_examples_multipart_enabled: 'yes' } }]])(
    'refuse to write if the features of the server are %j',
    async (info) => {
      server.info = info
      const message =
        'Your deployment does not allow using the multipart examples endpoint, please upgrade your deployment to the latest version.'
      await expect(client.createExample({ dataset_id: DATASET, inputs: {} })).rejects.toHaveProperty('message', message)
      await expect(client.updateExample({ id: ID, dataset_id: DATASET })).rejects.toHaveProperty('message', message)
      expect(uploads()).toHaveLength(0)
    },
  )

  it('name the call that failed', async () => {
    server.respond(({ path }) => (path === '/info' ? undefined : { status: 400, body: { error: 'no' } }))
    const why = async (call: Promise<unknown>) => (await call.catch((error: Error) => error.message)) as string
    expect(await why(client.createExamples(many(1)))).toContain('Failed to upload examples. Received status [400]')
    expect(await why(client.updateExample({ id: ID, dataset_id: DATASET }))).toContain('Failed to update examples. ')
    expect(await why(client.readExample(ID))).toContain(`Failed to fetch /examples/${ID}. `)
    expect(await why(client.deleteExample(ID))).toContain(`Failed to delete /examples/${ID}. `)
    expect(await why(client.deleteExamples([ID]))).toContain('Failed to delete examples. ')
    expect(await why(client.deleteExamples([ID], { hardDelete: true }))).toContain('Failed to hard delete examples. ')
  })
})

describe('creating an example', () => {
  it('sends it as parts, then reads it', async () => {
    const photo = Buffer.from([0, 1, 13, 10, 255])
    const created = await client.createExample({
      id: ID,
      dataset_name: 'cities',
      inputs: { q: '1+1' },
      outputs: {},
      metadata: {},
      split: ['train', 'hard'],
      source_run_id: RUN,
      use_source_run_attachments: ['a'],
      attachments: {
        'photo.png': ['image/png', photo],
        note: { mimeType: 'text/plain', data: new Uint8Array(2).buffer },
      },
    })

    expect(sent()).toEqual(['GET /datasets?limit=1&name=cities', `POST ${UPLOAD}`, `GET /examples/${ID}`])
    expect(created).toEqual(stored(ID))
    const parts = partsOf(uploads()[0]!)
    const json = 'application/json'
    const main = { metadata: {}, split: ['train', 'hard'], source_run_id: RUN, use_source_run_attachments: ['a'] }
    expect(parts.slice(0, 3).map(readable)).toEqual([
      [ID, json, JSON.stringify(main)],
      [`${ID}.inputs`, json, '{"q":"1+1"}'],
      [`${ID}.outputs`, json, '{}'],
    ])
    expect(parts[3]).toEqual({ name: `${ID}.attachment.photo.png`, type: 'image/png', data: photo })
    expect(parts[4]).toEqual({ name: `${ID}.attachment.note`, type: 'text/plain', data: Buffer.from([0, 0]) })
  })

  it('leaves out what is empty', async () => {
    await client.createExample({ id: ID, dataset_id: DATASET, inputs: {}, outputs: null, split: '', metadata: null })
    expect(partsOf(uploads()[0]!).map(readable)).toEqual([
      [ID, 'application/json', '{}'],
      [`${ID}.inputs`, 'application/json', '{}'],
    ])
  })

  it('takes inputs, outputs and options one by one, outputs or not', async () => {
    const createdAt = new Date(AS_OF)
    const options = { datasetId: DATASET, exampleId: ID, createdAt, metadata: { a: 1 }, useSourceRunIO: true }
    await client.createExample({ q: 1 }, { a: 1 }, options)
    expect(partsOf(uploads()[0]!).map(readable)).toEqual([
      [ID, 'application/json', JSON.stringify({ created_at: AS_OF, metadata: { a: 1 }, use_source_run_io: true })],
      [`${ID}.inputs`, 'application/json', '{"q":1}'],
      [`${ID}.outputs`, 'application/json', '{"a":1}'],
    ])
    await client.createExample({ q: 1 }, undefined, { datasetId: DATASET })
    const [main, inputs, ...rest] = partsOf(uploads()[1]!)
    expect(Math.abs(Date.parse(JSON.parse(main!.data.toString()).created_at) - Date.now())).toBeLessThan(60_000)
    expect([inputs!.data.toString(), rest]).toEqual(['{"q":1}', []])
  })

  it('asks once whether the server takes it', async () => {
    await client.createExample({ dataset_id: DATASET, inputs: {} })
    await client.createExample({ dataset_id: DATASET, inputs: {} })
    expect(server.requests.filter(({ path }) => path === '/info')).toHaveLength(1)
  })

  it('writes below /v1 where the address does not end with it', async () => {
    const bare = new Client({ apiUrl: server.url.replace('/api/v1', ''), apiKey: 'k' })
    await bare.createExample({ dataset_id: DATASET, inputs: {} }).catch(() => {})
    expect(server.calls[0]!.path).toBe(`/v1${UPLOAD}`)
  })

  it('has forms for completions and chats', async () => {
    const options = { datasetId: DATASET, exampleId: ID }
    await client.createLLMExample('hello', 'hi', options)
    const human = { _getType: () => 'human', content: 'hello', additional_kwargs: {} }
    const ai = { _getType: () => 'ai', content: 'hi', additional_kwargs: { tool_calls: [] } }
    await client.createChatExample([human, { role: 'user', content: 'x' }], ai, options)
    const payloads = uploads().map((request) =>
      partsOf(request)
        .slice(1)
        .map(({ data }) => JSON.parse(data.toString())),
    )
    expect(payloads).toEqual([
      [{ input: 'hello' }, { output: 'hi' }],
      [
        {
          input: [
            { type: 'human', data: { content: 'hello' } },
            { role: 'user', content: 'x' },
          ],
        },
        { output: { type: 'ai', data: { content: 'hi', additional_kwargs: { tool_calls: [] } } } },
      ],
    ])
  })
})

describe('creating many examples', () => {
  it('is nothing for none', async () => {
    expect(await client.createExamples([])).toEqual([])
    expect(await client.createExamples({ inputs: [], datasetId: DATASET })).toEqual([])
    expect(server.requests).toHaveLength(0)
  })

  it('reads them back by the hundred as they were stored, in the order given', async () => {
    const created = await client.createExamples(many(250))
    expect(created.map(({ id }) => id)).toEqual(idsOf(uploads()[0]!))
    expect(created).toHaveLength(250)
    const reads = server.requests.filter(({ path }) => path === '/examples')
    expect(reads.map(({ query }) => query.getAll('id').length).sort()).toEqual([100, 100, 50])
    for (const { query } of reads) {
      expect(query.get('as_of')).toBe(AS_OF)
      expect(query.getAll('select')).toEqual(['attachment_urls', 'outputs', 'metadata'])
    }
  })

  it('sends a thousand at a time, each acknowledged before the next, and tells', async () => {
    const reported: UploadProgress[] = []
    const answer = await client.uploadExamplesMultipart(DATASET, many(2500), {
      onProgress: (progress) => void reported.push({ ...progress, asOf: `after ${uploads().length} requests` }),
    })
    expect(uploads().map((request) => idsOf(request).length)).toEqual([1000, 1000, 500])
    expect(reported).toEqual([
      { uploaded: 1000, total: 2500, asOf: 'after 1 requests' },
      { uploaded: 2000, total: 2500, asOf: 'after 2 requests' },
      { uploaded: 2500, total: 2500, asOf: 'after 3 requests' },
    ])
    expect(answer).toMatchObject({ count: 2500, as_of: AS_OF })
    expect(answer.example_ids).toEqual(uploads().flatMap(idsOf))
    expect(server.requests.some(({ path }) => path === '/examples')).toBe(false)
  })

  it('sends at most 16 MB at a time, and what is larger alone', async () => {
    const big = (megabytes: number) => ({ inputs: { text: 'x'.repeat(megabytes * 1024 * 1024) } })
    await client.uploadExamplesMultipart(DATASET, [big(7), big(7), big(7), big(18), big(1)])
    expect(uploads().map((request) => idsOf(request).length)).toEqual([2, 1, 1, 1])
  })

  it('sends less at a time where the server takes less', async () => {
    server.info = { instance_flags: { dataset_examples_multipart_enabled: true, max_body_bytes: 5000 } }
    const text = 'x'.repeat(1000)
    await client.uploadExamplesMultipart(
      DATASET,
      Array.from({ length: 7 }, () => ({ inputs: { text } })),
    )
    expect(uploads().map((request) => idsOf(request).length)).toEqual([3, 3, 1])
    for (const { body } of uploads()) expect(body.length).toBeLessThan(5000)
  })

  it('takes a stream, and reads it no further than it sends', async () => {
    let made = 0
    async function* stream() {
      for (; made < 3000; made++) yield { inputs: { made } }
    }
    const totals: unknown[] = []
    server.respond((request) => {
      if (request.path === UPLOAD && uploads().length === 2) return { status: 400, body: { error: 'full' } }
      return obliging(request)
    })
    const onProgress = ({ uploaded, total }: UploadProgress) => void totals.push([uploaded, total])
    const error = await client.uploadExamplesMultipart(DATASET, stream(), { onProgress }).catch((error) => error)
    expect(error).toMatchObject({ status: 400 })
    expect(error.message).toMatch(/full.*\n1000 examples were stored before this\.$/s)
    expect(totals).toEqual([[1000, undefined]])
    expect(made).toBeLessThan(2100)
  })

  it('refuses one that belongs elsewhere', async () => {
    const elsewhere = [{ inputs: {} }, { inputs: {}, dataset_id: ID }]
    const message = `All examples must be of one dataset; example 1 is of ${ID}, not of ${DATASET}`
    await expect(client.uploadExamplesMultipart(DATASET, elsewhere)).rejects.toThrow(message)
    expect(uploads()).toHaveLength(0)
  })

  it('knows a name and an id of one dataset', async () => {
    await client.createExamples([{ inputs: {} }, { dataset_name: 'cities', inputs: {} }, ...many(1)])
    expect(idsOf(uploads()[0]!)).toHaveLength(3)
  })

  it('takes columns', async () => {
    await client.createExamples({
      datasetId: DATASET,
      inputs: [{ q: 1 }, { q: 2 }],
      outputs: [{ a: 1 }],
      metadata: [undefined, { m: 2 }],
      splits: ['train'],
      exampleIds: [ID, RUN],
      attachments: [undefined, { a: ['text/plain', Buffer.from('b')] }],
    })
    expect(partsOf(uploads()[0]!).map(readable)).toEqual([
      [ID, 'application/json', '{"split":"train"}'],
      [`${ID}.inputs`, 'application/json', '{"q":1}'],
      [`${ID}.outputs`, 'application/json', '{"a":1}'],
      [RUN, 'application/json', '{"metadata":{"m":2}}'],
      [`${RUN}.inputs`, 'application/json', '{"q":2}'],
      [`${RUN}.attachment.a`, 'text/plain', 'b'],
    ])
  })

  it('recognises its own examples when the answer to the first attempt was lost', async () => {
    server.respond((request) => {
      if (request.path !== UPLOAD) return obliging(request)
      return uploads().length === 1 ? { reset: true } : { status: 409, body: { error: 'exists' } }
    })
    const created = await client.createExamples(many(3))
    expect(created.map(({ id }) => id)).toEqual(idsOf(uploads()[0]!))
  })

  it('takes a conflict for what it is when the ids are the caller’s, or it came at once', async () => {
    server.respond((request) =>
      request.path === UPLOAD ? { status: 409, body: { error: 'exists' } } : obliging(request),
    )
    await expect(client.createExamples(many(1))).rejects.toMatchObject({ status: 409 })
    server.respond((request) => {
      if (request.path !== UPLOAD) return obliging(request)
      return uploads().length === 2 ? { reset: true } : { status: 409, body: { error: 'exists' } }
    })
    await expect(client.createExamples(many(1, { id: ID }))).rejects.toMatchObject({ status: 409 })
    expect(uploads()).toHaveLength(3)
  })
})

describe('reading examples', () => {
  it('shows attachments by their own names', async () => {
    const url = { presigned_url: 'https://x/y', s3_url: 'k', mime_type: 'image/png' }
    server.respond(() => ({ body: { ...stored(ID), attachment_urls: { 'attachment.a.png': url } } }))
    expect(await client.readExample(ID)).toEqual({
      ...stored(ID),
      attachments: { 'a.png': { presigned_url: 'https://x/y', mime_type: 'image/png' } },
    })
  })

  it('lists with every condition', async () => {
    const asOf = new Date(AS_OF)
    const params = { datasetId: DATASET, asOf, splits: ['a', 'b'], metadata: { k: 1 }, filter: 'f', offset: 5 }
    await client.listExamples({ ...params, exampleIds: [ID], includeAttachments: true }).next()
    expect(
      Object.fromEntries(
        [...server.requests[0]!.query.keys()].map((key) => [key, server.requests[0]!.query.getAll(key)]),
      ),
    ).toEqual({
      dataset: [DATASET],
      as_of: [AS_OF],
      inline_s3_urls: ['true'],
      splits: ['a', 'b'],
      metadata: ['{"k":1}'],
      filter: ['f'],
      select: ['attachment_urls', 'outputs', 'metadata'],
      id: [ID],
      offset: ['5'],
      limit: ['100'],
    })
  })

  it('lists only the fields that are selected', async () => {
    await client.listExamples({ datasetId: DATASET, select: ['inputs'], excludeDefaultFields: true }).next()
    await client.listExamples({ datasetId: DATASET, select: ['name', 'outputs'], includeAttachments: true }).next()
    const sent = server.requests.map(({ query }) => [query.getAll('select'), query.get('exclude_default_fields')])
    expect(sent).toEqual([
      [['inputs'], 'true'],
      [['name', 'outputs', 'attachment_urls', 'metadata'], null],
    ])
  })

  it('ends at the limit over pages', async () => {
    server.respond(({ query }) => ({ body: Array.from({ length: Number(query.get('limit')) }, () => stored(ID)) }))
    let listed = 0
    for await (const { id } of client.listExamples({ datasetId: DATASET, limit: 150 })) listed += id === ID ? 1 : 0
    expect(listed).toBe(150)
    expect(server.calls.map(({ query }) => query.get('limit'))).toEqual(['100', '50'])
  })

  it('asks for many ids by the hundred, still within limit and offset', async () => {
    const exampleIds = Array.from({ length: 250 }, (_, at) => `${ID.slice(0, -3)}${String(at).padStart(3, '0')}`)
    const listed: string[] = []
    for await (const { id } of client.listExamples({ datasetId: DATASET, exampleIds, offset: 90, limit: 50 }))
      listed.push(id)
    expect(listed).toHaveLength(50)
    expect(server.calls.map(({ query }) => query.getAll('id').length)).toEqual([100, 100])
  })

  it('answers single pages and counts with every parameter', async () => {
    await client.queryExamples({ dataset: DATASET, order: 'random', random_seed: 1, metadata: { k: 1 } })
    server.respond(() => ({ body: 7 }))
    expect(await client.countExamples({ dataset: DATASET, full_text_contains: ['a'] })).toBe(7)
    expect(sent()).toEqual([
      `GET /examples?dataset=${DATASET}&order=random&random_seed=1&metadata=%7B%22k%22%3A1%7D`,
      `GET /examples/count?dataset=${DATASET}&full_text_contains=a`,
    ])
  })
})

describe('changing examples', () => {
  it('looks the dataset up, and sends what changes', async () => {
    const answer = await client.updateExample({
      id: ID,
      inputs: { q: 2 },
      split: 'test',
      attachments: { b: ['text/plain', Buffer.from('c')] },
      attachments_operations: { rename: { a: 'z' }, retain: [] },
    })
    expect(answer).toEqual({ count: 1, example_ids: [ID], as_of: AS_OF })
    expect(sent()).toEqual([`GET /examples/${ID}`, `PATCH ${UPLOAD}`])
    expect(partsOf(uploads()[0]!).map(readable)).toEqual([
      [ID, 'application/json', '{"split":"test"}'],
      [`${ID}.inputs`, 'application/json', '{"q":2}'],
      [`${ID}.attachments_operations`, 'application/json', '{"rename":{"a":"z"},"retain":[]}'],
      [`${ID}.attachment.b`, 'text/plain', 'c'],
    ])
  })

  it('takes the id apart, as of old', async () => {
    await client.updateExample(ID, { dataset_id: DATASET, outputs: { a: 1 } })
    expect(sent()).toEqual([`PATCH ${UPLOAD}`])
    expect(partsOf(uploads()[0]!).map(({ name }) => name)).toEqual([ID, `${ID}.outputs`])
  })

  it('takes several of one dataset, or none', async () => {
    expect(await client.updateExamples([])).toEqual({ count: 0, example_ids: [] })
    expect(server.requests).toHaveLength(0)
    await client.updateExamples([{ id: ID, dataset_id: DATASET, metadata: {} }, { id: RUN }])
    expect(idsOf(uploads()[0]!)).toEqual([ID, RUN])
    const mixed = [
      { id: ID, dataset_id: DATASET },
      { id: RUN, dataset_id: ID },
    ]
    await expect(client.updateExamples(mixed)).rejects.toThrow('All examples must be of one dataset; example 1 is of')
  })
})

describe('deleting examples', () => {
  it('is soft unless asked otherwise', async () => {
    await client.deleteExample(ID)
    await client.deleteExamples([ID, RUN])
    await client.deleteExamples([ID], { hardDelete: true })
    await client.deleteExamples([])
    expect(sent()).toEqual([
      `DELETE /examples/${ID}`,
      `DELETE /examples?example_ids=${ID}&example_ids=${RUN}`,
      'POST /platform/datasets/examples/delete',
    ])
    expect(JSON.parse(server.requests.at(-1)!.body.toString())).toEqual({ example_ids: [ID], hard_delete: true })
  })
})

describe('changing the metadata of many examples', () => {
  it('sends the ids 10,000 at a time and returns what became of each', async () => {
    const ids = Array.from({ length: 10_001 }, () => ID)
    await server.stop()
    server = await Recorder.start(({ path, body }) => {
      if (path === '/info') return undefined
      const { example_ids } = JSON.parse(body.toString()) as { example_ids: string[] }
      return { status: 207, body: { statuses: example_ids.map((id) => ({ id, status: 'UPDATED' })) } }
    })
    client = new Client({ apiUrl: server.url, apiKey: 'k' })
    const operation = { key: 'topic', operation: 'set', value: 'auth' } as const
    expect(await client.updateExamplesMetadata(DATASET, ids, [operation])).toHaveLength(10_001)
    expect(sent()).toEqual([`PATCH ${UPLOAD}/metadata`, `PATCH ${UPLOAD}/metadata`])
    await expect(client.updateExamplesMetadata(DATASET, ['x'], [operation])).rejects.toThrow('Invalid UUID')
  })
})

import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aProjectName, collect } from '../../clients/javascript/a-client.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { callOf, type Sent, type WatchedClient, watchClient } from '../support/watch-client.ts'

let server: SharedServer
let watched: WatchedClient
let datasetId: string
beforeAll(async () => {
  server = await shareServer()
  watched = watchClient(server.url)
  datasetId = (await watched.client.createDataset(aProjectName('examples'))).id
  watched.taken()
})
beforeEach(() => void watched.taken())
afterAll(() => server?.stop())

const text = (content: string): [string, Uint8Array] => ['text/plain', Buffer.from(content)]
const partsOf = ({ body }: Sent) => Array.from(String(body).matchAll(/ name="([^"]+)"/g), ([, name]) => name)

describe('calls about examples', () => {
  it('POST and PATCH datasets/{id}/examples send a part per example, and one for each of its fields', async () => {
    const { client } = watched
    const attachments = { one: text('1'), two: text('2') }
    const { id } = await client.createExample({
      dataset_id: datasetId,
      inputs: { q: 1 },
      outputs: { a: 1 },
      attachments,
    })
    const [upload, reading] = watched.taken()
    expect([upload!.call, reading!.call]).toEqual([callOf(contract.examples.upload), callOf(contract.examples.read)])
    expect(partsOf(upload!)).toEqual([
      id,
      `${id}.inputs`,
      `${id}.outputs`,
      `${id}.attachment.one`,
      `${id}.attachment.two`,
    ])

    const attachments_operations = { rename: { one: 'uno' }, retain: [] }
    await client.updateExample({ id, dataset_id: datasetId, outputs: { a: 2 }, attachments_operations })
    const [patch] = watched.taken()
    expect(patch!.call).toBe(callOf(contract.examples.patch))
    expect(partsOf(patch!)).toEqual([id, `${id}.outputs`, `${id}.attachments_operations`])
    const { attachments: left, ...example } = await client.readExample(id)
    expect(example).toMatchObject({ inputs: { q: 1 }, outputs: { a: 2 } })
    expect(Object.keys(left!)).toEqual(['uno'])
  })

  it('GET /examples takes dataset, version, splits, ids, metadata, window, filter and what to select', async () => {
    const { client } = watched
    const { id } = await client.createExample({
      dataset_id: datasetId,
      inputs: { q: 'found' },
      metadata: { level: 1 },
      split: 'hard',
    })
    const { as_of } = await client.readDatasetVersion({ datasetId, tag: 'latest' })
    watched.taken()
    const conditions = { splits: ['hard'], metadata: { level: 1 }, filter: 'eq(metadata.level, 1)', exampleIds: [id] }
    const found = await collect(
      client.listExamples({ datasetId, ...conditions, asOf: as_of, limit: 5, offset: 0, includeAttachments: true }),
    )
    expect(found).toMatchObject([{ id, inputs: { q: 'found' } }])
    expect(watched.taken()).toEqual([
      {
        call: callOf(contract.examples.list),
        query: {
          dataset: datasetId,
          as_of,
          inline_s3_urls: 'true',
          id,
          splits: 'hard',
          metadata: '{"level":1}',
          filter: 'eq(metadata.level, 1)',
          select: ['attachment_urls', 'outputs', 'metadata'],
          limit: '5',
          offset: '0',
        },
      },
    ])
    await collect(client.listExamples({ datasetId, inlineS3Urls: false, limit: 1, offset: 1 }))
    expect(watched.taken()[0]!.query).toEqual({ dataset: datasetId, inline_s3_urls: 'false', limit: '1', offset: '1' })
  })

  it('GET and DELETE /examples/{id} read one and delete it', async () => {
    const { client } = watched
    const { id } = await client.createExample({ dataset_id: datasetId, inputs: { q: 'short-lived' } })
    watched.taken()
    expect(await client.readExample(id)).toMatchObject({ id, dataset_id: datasetId })
    await client.deleteExample(id)
    await expect(client.readExample(id)).rejects.toMatchObject({ status: 404 })
    const read = callOf(contract.examples.read)
    expect(watched.taken().map(({ call }) => call)).toEqual([read, callOf(contract.examples.delete), read])
  })
})

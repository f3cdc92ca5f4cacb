import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '7d0b8c52-27c1-4d0b-9c55-6d2b0f8f1101'
const OTHER = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(() => ({ body: {} }))
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

describe('items of annotation queues', () => {
  const items = `/platform/annotation-queues`
  it.each([
    [() => client.queryAnnotationQueueItems(ID, { status: 'archived' }), 'GET', `${items}/${ID}/items`],
    [() => client.takeAnnotationQueueItem(ID), 'POST', `${items}/${ID}/items/next`],
    [() => client.readAnnotationQueueItemPlacement(ID, OTHER), 'GET', `${items}/${ID}/items/${OTHER}/placement`],
    [() => client.reviewAnnotationQueueItem(OTHER, { status: 'viewed' }), 'POST', `${items}/items/${OTHER}/status`],
    [() => client.deleteAnnotationQueueItems(ID, [OTHER]), 'POST', `${items}/${ID}/items/delete`],
    [() => client.addAnnotationQueueReviewer(ID, OTHER), 'POST', `${items}/${ID}/reviewers`],
    [() => client.removeAnnotationQueueReviewer(ID, OTHER), 'DELETE', `${items}/${ID}/reviewers/${OTHER}`],
    [() => client.readAnnotationQueueProgress([ID, OTHER]), 'GET', '/annotation-queues/progress'],
    [() => client.readAnnotationQueueAgreement(ID), 'GET', `/annotation-queues/${ID}/agreement`],
  ])('are reached by %s', async (call, method, path) => {
    await call()
    const { method: sent, path: asked } = server.requests.at(-1)!
    expect(sent).toBe(method)
    expect(asked.endsWith(path)).toBe(true)
  })

  it('sends sections, pages and what a reviewer decides', async () => {
    await client.queryAnnotationQueueItems(ID, { status: 'needs_my_review', pageSize: 3, cursor: 'c' })
    expect(Object.fromEntries(server.requests.at(-1)!.query)).toEqual({
      status: 'needs_my_review',
      page_size: '3',
      cursor: 'c',
    })
    await client.readAnnotationQueueProgress([ID, OTHER])
    expect(server.requests.at(-1)!.query.getAll('ids')).toEqual([ID, OTHER])
    const overrideAddedAt = new Date(0)
    await client.reviewAnnotationQueueItem(ID, { status: null, overrideAddedAt })
    const body = JSON.parse(server.requests.at(-1)!.body.toString())
    expect(body).toEqual({ status: null, override_added_at: '1970-01-01T00:00:00.000Z' })
  })

  it('rejects bad ids before a request', async () => {
    await expect(client.reviewAnnotationQueueItem('x', { status: null })).rejects.toThrow('Invalid UUID for itemId: x')
    await expect(client.deleteAnnotationQueueItems(ID, ['x'])).rejects.toThrow('Invalid UUID for itemIds[0]: x')
    await expect(client.readAnnotationQueueProgress(['x'])).rejects.toThrow('Invalid UUID for queueIds[0]: x')
    expect(server.requests).toEqual([])
  })
})

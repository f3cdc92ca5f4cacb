import { runs } from '@touchstone/contract/routes'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { APIConnectionError, Client, NotFoundError, uuid7 } from '../index.ts'

const RUN = uuid7()

let server: Recorder
let attempts: boolean[]
let client: Client

beforeEach(async () => {
  server = await Recorder.start()
  attempts = []
  client = new Client({
    apiUrl: server.url,
    apiKey: 'k',
    workspaceId: 'w',
    callerOptions: { maxRetries: 1 },
    onAttempt: (isReachable) => attempts.push(isReachable),
  })
})
afterEach(() => server.stop())

const read = () => client.raw(runs.read, { params: { run_id: RUN } })

describe('a raw request', () => {
  it('returns the bytes of the response', async () => {
    server.respond(() => ({ body: '{"big": 9007199254740993, "b": 1.0}' }))
    const response = await read()
    expect(new TextDecoder().decode(await response.arrayBuffer())).toBe('{"big": 9007199254740993, "b": 1.0}')
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  it('carries the credentials of the client', async () => {
    await read()
    expect(server.requests[0]).toMatchObject({
      path: `/runs/${RUN}`,
      headers: { 'x-api-key': 'k', 'x-tenant-id': 'w' },
    })
  })

  it('sends a query and a JSON body', async () => {
    await client.raw(runs.query, { query: { a: [1, 2] }, body: { limit: 1 } })
    const [request] = server.requests
    expect(`${request?.query}`).toBe('a=1&a=2')
    expect(request?.headers['content-type']).toBe('application/json')
    expect(request?.body.toString()).toBe('{"limit":1}')
  })

  it('is retried after a failure of the server', async () => {
    server.respond((_, earlier) => (earlier === 0 ? { status: 503, headers: { 'retry-after': '0' } } : { body: 'ok' }))
    expect(await (await read()).text()).toBe('ok')
    expect(server.requests).toHaveLength(2)
  })

  it('rejects with the error of the status', async () => {
    server.respond(() => ({ status: 404, body: { detail: 'Run not found' } }))
    await expect(read()).rejects.toBeInstanceOf(NotFoundError)
    await expect(read()).rejects.toThrow(`Failed to fetch /runs/${RUN}. Received status [404]: Not Found.`)
  })

  it('reports each attempt to the client, answered or not', async () => {
    server.respond((_, earlier) => (earlier === 0 ? { reset: true } : { status: 400 }))
    await read().catch(() => {})
    expect(attempts).toEqual([false, true])
    server.respond(() => ({ reset: true }))
    await expect(client.raw(runs.read, { params: { run_id: RUN }, maxRetries: 0 })).rejects.toBeInstanceOf(
      APIConnectionError,
    )
    expect(attempts).toEqual([false, true, false])
  })

  it('is aborted by its signal', async () => {
    server.respond(() => ({ hang: true }))
    const controller = new AbortController()
    const request = client.raw(runs.read, { params: { run_id: RUN }, signal: controller.signal })
    controller.abort(new Error('stop'))
    await expect(request).rejects.toThrow('stop')
  })
})

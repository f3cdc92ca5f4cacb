import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const RUN = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'
const TOKEN = '5f2c8a9e-6b1d-4c3a-8f7e-1a2b3c4d5e6f'
const run = { id: RUN, name: 'answer', start_time: '2025-07-10T04:42:19.024000', inputs: null }
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(() => ({ body: { run_id: RUN, share_token: TOKEN } }))
  client = new Client({ apiUrl: server.url, apiKey: 'k', webUrl: 'https://web.example' })
})
afterEach(() => server.stop())

const lastBody = () => JSON.parse(server.requests.at(-1)!.body.toString())

describe('the sharing rules of the client', () => {
  it.each([
    ['shareRun', () => client.shareRun('x'), 'Invalid UUID: x'],
    ['shareRun with a bad token', () => client.shareRun(RUN, { shareId: 'x' }), 'Invalid UUID for shareId: x'],
    ['unshareRun', () => client.unshareRun('x'), 'Invalid UUID: x'],
    ['readRunSharedLink', () => client.readRunSharedLink('x'), 'Invalid UUID: x'],
    ['listSharedRuns', () => client.listSharedRuns('x'), 'Invalid UUID: x'],
    [
      'listSharedRuns with a bad id',
      () => client.listSharedRuns(TOKEN, { runIds: [RUN, 'x'] }),
      'Invalid UUID for runIds[1]: x',
    ],
    ['readSharedRun', () => client.readSharedRun('https://h/public/x/r'), 'Invalid UUID: https://h/public/x/r'],
    ['readSharedRun with a bad id', () => client.readSharedRun(TOKEN, { runId: 'x' }), 'Invalid UUID: x'],
    ['revokeShares', () => client.revokeShares(['x']), 'Invalid UUID: x'],
  ])('refuse a bad id in %s before any request', async (_, call, message) => {
    const error: unknown = await call().catch((error: unknown) => error)
    expect(error).toHaveProperty('message', message)
    expect(server.requests).toHaveLength(0)
  })

  it.each([[null], [{}], [{ run_id: RUN, share_token: null }]])('refuse the answer %j to a share', async (body) => {
    server.respond(() => ({ body }))
    await expect(client.shareRun(RUN)).rejects.toThrow(/^Invalid response from server$/)
  })
})

describe('sharing a run', () => {
  it('proposes a fresh random token each time, and answers the page of the one that holds', async () => {
    expect(await client.shareRun(RUN)).toBe(`https://web.example/public/${TOKEN}/r`)
    const { run_id, share_token } = lastBody()
    expect(run_id).toBe(RUN)
    expect(share_token).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(server.requests[0]).toMatchObject({ method: 'PUT', path: `/runs/${RUN}/share` })
    expect(server.requests[0]!.headers['content-type']).toBe('application/json')
    await client.shareRun(RUN)
    expect(lastBody().share_token).not.toBe(share_token)
  })

  it('proposes the token given', async () => {
    await client.shareRun(RUN, { shareId: TOKEN })
    expect(lastBody()).toEqual({ run_id: RUN, share_token: TOKEN })
  })

  it('is undone with a delete', async () => {
    await client.unshareRun(RUN)
    expect(server.requests[0]).toMatchObject({ method: 'DELETE', path: `/runs/${RUN}/share` })
  })

  it('tells the link, or that there is none', async () => {
    expect(await client.readRunSharedLink(RUN)).toBe(`https://web.example/public/${TOKEN}/r`)
    for (const body of [null, {}]) {
      server.respond(() => ({ body }))
      expect(await client.readRunSharedLink(RUN)).toBeUndefined()
    }
  })
})

describe('reading what was shared', () => {
  it('lists the runs of a token, all or some', async () => {
    server.respond(() => ({ body: [run] }))
    expect(await client.listSharedRuns(TOKEN)).toEqual([
      { ...run, inputs: {}, start_time: '2025-07-10T04:42:19.024000Z' },
    ])
    await client.listSharedRuns(`https://web.example/public/${TOKEN}/r?x=1`, { runIds: [RUN, TOKEN] })
    expect(server.requests.map(({ path, query }) => `${path}?${query}`)).toEqual([
      `/public/${TOKEN}/runs?`,
      `/public/${TOKEN}/runs?id=${RUN}&id=${TOKEN}`,
    ])
  })

  it('reads the shared run or one below it', async () => {
    server.respond(() => ({ body: run }))
    expect(await client.readSharedRun(TOKEN)).toMatchObject({ id: RUN, inputs: {} })
    await client.readSharedRun(TOKEN, { runId: RUN })
    expect(server.requests.map(({ path }) => path)).toEqual([`/public/${TOKEN}/run`, `/public/${TOKEN}/run/${RUN}`])
  })

  it('rejects an unknown token', async () => {
    server.respond(() => ({ status: 404, body: { detail: 'Share token not found' } }))
    await expect(client.listSharedRuns(TOKEN)).rejects.toMatchObject({ status: 404, name: 'LangSmithNotFoundError' })
  })
})

describe('what a workspace has shared', () => {
  it('is listed, and closed by token or all at once', async () => {
    server.respond(() => ({ body: { entities: [{ share_token: TOKEN }] } }))
    expect(await client.listShares()).toEqual([{ share_token: TOKEN }])
    await client.revokeShares([TOKEN])
    expect(lastBody()).toEqual({ share_tokens: [TOKEN], unshare_all: false })
    await client.revokeShares('all')
    expect(lastBody()).toEqual({ share_tokens: [], unshare_all: true })
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/workspaces/current/shared' })
  })
})

import { setTimeout } from 'node:timers/promises'
import { contract } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { errorOf } from '../support/refusal-of.ts'
import { callOf, type Sent, watchClient } from '../support/watch-client.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})
afterAll(() => server?.stop())

const settings = callOf(contract.workspaces.settings)

/** A client whose first question fails so many times; the server answers after that. No pause between attempts. */
function hinderedClient(times: number, status: number, body: unknown = { detail: 'no' }) {
  let left = times
  const headers = { 'retry-after': '0' }
  return watchClient(server.url, {}, async ({ call }: Sent) =>
    call === settings && left-- > 0 ? Response.json(body, { status, headers }) : undefined,
  )
}

describe('a call that fails', () => {
  it.each([400, 401, 402, 403, 404, 405, 406, 407, 409])('with status %i is not repeated', async (status) => {
    const { client, taken } = hinderedClient(1, status)
    expect(await errorOf(() => client.getSettings())).toMatchObject({ status })
    expect(taken()).toHaveLength(1)
  })

  it.each([408, 410, 429, 500, 502, 503, 504])('with status %i is repeated until it succeeds', async (status) => {
    const { client, taken } = hinderedClient(6, status)
    expect(await client.getSettings()).toHaveProperty('id')
    expect(taken()).toHaveLength(1 + 6)
  })

  it('is repeated six times and no more', async () => {
    const { client, taken } = hinderedClient(7, 500)
    expect(await errorOf(() => client.getSettings())).toMatchObject({ status: 500 })
    expect(taken()).toHaveLength(1 + 6)
  })

  it('is not repeated for want of quota', async () => {
    const { client, taken } = hinderedClient(1, 429, { error: { code: 'insufficient_quota' } })
    expect(await errorOf(() => client.getSettings())).toMatchObject({ name: 'InsufficientQuotaError', status: 429 })
    expect(taken()).toHaveLength(1)
  })

  it('is not repeated after an abort, nor after its time is up', async () => {
    const controller = new AbortController()
    const { client, taken } = watchClient(server.url, {}, async () => {
      controller.abort()
      throw controller.signal.reason
    })
    expect(await errorOf(() => client.getSettings({ signal: controller.signal }))).toMatchObject({ name: 'AbortError' })
    expect(taken()).toHaveLength(1)

    // The server is asked only after the time is up.
    const late = watchClient(server.url, { timeout_ms: 20 }, async (_, ask) => {
      // Pause: longer than the time-out of the client.
      await setTimeout(100)
      return await ask()
    })
    expect(await errorOf(() => late.client.getSettings())).toMatchObject({ name: 'TimeoutError' })
    expect(late.taken()).toHaveLength(1)
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../support/start-server.ts'

const env = { TOUCHSTONE_OUTBOUND_ALLOW: '127.0.0.1' }

describe('a server that is killed with a notice on its way', () => {
  let dataDir: string
  let mustAnswer = true
  const heard: unknown[] = []
  const receiver = createServer((request, response) => {
    heard.push(request.headers['webhook-id'])
    if (mustAnswer) response.end('ok')
  })
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'touchstone-notifications-'))
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  })
  afterAll(async () => {
    receiver.closeAllConnections()
    receiver.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('sends it again with the same id when it did not store the answer', { timeout: 300_000 }, async () => {
    const first = await startServer({ dataDir, env })
    const before = new Client({ apiUrl: first.url })
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const channel = await before.createNotificationChannel({ name: 'ops', config: { kind: 'webhook', url } })
    const tested = await before.testNotificationChannel(channel.id)
    expect(tested.status).toBe('delivered')
    mustAnswer = false
    const { id } = await before.redeliverNotification(tested.id)
    await expect.poll(() => heard.includes(id), { timeout: 20_000 }).toBe(true)
    await first.kill()
    mustAnswer = true

    const second = await startServer({ dataDir, env })
    const after = new Client({ apiUrl: second.url })
    const read = async () =>
      (await after.listNotificationDeliveries(channel.id)).deliveries.find((delivery) => delivery.id === id)
    await expect.poll(async () => (await read())?.status, { timeout: 200_000 }).toBe('delivered')
    expect(heard).toEqual([tested.id, id, id])
    await second.stop()
  })
})

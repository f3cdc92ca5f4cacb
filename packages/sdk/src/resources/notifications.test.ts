import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '0197aaaa-0000-7000-8000-000000000000'

let server: Recorder
let client: Client
beforeEach(async () => {
  server = await Recorder.start(() => ({ body: { id: ID } }))
  client = new Client({ apiUrl: server.url })
})
afterEach(() => server.stop())

describe('notification channels', () => {
  it('are created, changed, tested and deleted by their id', async () => {
    const config = { kind: 'slack', url: 'https://hooks.slack.com/services/x' } as const
    expect(await client.createNotificationChannel({ name: 'ops', config })).toEqual({ id: ID })
    await client.listNotificationChannels()
    await client.readNotificationChannel(ID)
    await client.updateNotificationChannel(ID, { is_enabled: false })
    await client.testNotificationChannel(ID)
    await client.listNotificationDeliveries(ID, { status: 'failed', limit: 5 })
    await client.redeliverNotification(ID)
    await client.deleteNotificationChannel(ID)
    const asked = server.calls.map(({ method, path, body }) => [
      `${method} ${path}`,
      body.length > 0 ? JSON.parse(body.toString()) : undefined,
    ])
    expect(asked).toEqual([
      ['POST /notification-channels', { name: 'ops', config }],
      ['GET /notification-channels', undefined],
      [`GET /notification-channels/${ID}`, undefined],
      [`PATCH /notification-channels/${ID}`, { is_enabled: false }],
      [`POST /notification-channels/${ID}/test`, undefined],
      [`GET /notification-channels/${ID}/deliveries`, undefined],
      [`POST /notification-deliveries/${ID}/redeliver`, undefined],
      [`DELETE /notification-channels/${ID}`, undefined],
    ])
    expect(Object.fromEntries(server.requests[5]?.query ?? [])).toEqual({ status: 'failed', limit: '5' })
    await expect(client.redeliverNotification('../x')).rejects.toThrow(/uuid/i)
  })
})

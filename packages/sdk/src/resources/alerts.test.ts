import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '0197aaaa-0000-7000-8000-000000000000'

let server: Recorder
let client: Client
beforeEach(async () => {
  server = await Recorder.start(() => ({
    body: { id: ID, alerts: [], budgets: [], episodes: [], versions: [], points: [], periods: [], delivery_ids: [ID] },
  }))
  client = new Client({ apiUrl: server.url })
})
afterEach(() => server.stop())

async function readAll(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

describe('alerts and budgets', () => {
  it('have a call for each route', async () => {
    const definition = { project_ids: [ID], metric: 'error_rate', window_minutes: 5, critical: 0.1 } as const
    await client.createAlert({ name: 'errors', definition: { ...definition, project_ids: [ID] } })
    await client.previewAlert({ ...definition, project_ids: [ID] }, { days: 7 })
    await readAll(client.listAlerts({ isFiring: true }))
    await client.readAlert(ID)
    await client.updateAlert(ID, { is_enabled: false })
    expect(await client.testAlert(ID)).toEqual([ID])
    await readAll(client.listAlertVersions(ID))
    await client.readAlertPoints(ID, { maxPoints: 10 })
    await readAll(client.listAlertEpisodes({ alertId: ID }))
    await client.readAlertEpisode(ID, 1)
    await client.acknowledgeAlert(ID, 1)
    await client.deleteAlert(ID)
    await client.createBudget({ name: 'all', scope: { kind: 'workspace' }, amount_usd: 10 })
    await readAll(client.listBudgets())
    await client.readBudget(ID)
    await client.updateBudget(ID, { amount_usd: 20 })
    await client.readBudgetHistory(ID, 3)
    await client.deleteBudget(ID)
    expect(server.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /alerts',
      'POST /alerts/preview',
      'GET /alerts',
      `GET /alerts/${ID}`,
      `PATCH /alerts/${ID}`,
      `POST /alerts/${ID}/test`,
      `GET /alerts/${ID}/versions`,
      `GET /alerts/${ID}/points`,
      'GET /alerts/episodes',
      `GET /alerts/${ID}/episodes/1`,
      `POST /alerts/${ID}/episodes/1/acknowledge`,
      `DELETE /alerts/${ID}`,
      'POST /budgets',
      'GET /budgets',
      `GET /budgets/${ID}`,
      `PATCH /budgets/${ID}`,
      `GET /budgets/${ID}/history`,
      `DELETE /budgets/${ID}`,
    ])
    await expect(client.readAlert('../x')).rejects.toThrow(/uuid/i)
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client, type DashboardChart } from '../index.ts'

const ID = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'
const CHARTS: DashboardChart[] = [{ id: 'a', metric: 'latency' }]
let server: Recorder
let client: Client

beforeEach(async () => {
  server = await Recorder.start(() => ({ body: {} }))
  client = new Client({ apiUrl: server.url, apiKey: 'k' })
})
afterEach(() => server.stop())

describe('dashboards', () => {
  it('are listed, read, saved, changed and deleted under one path', async () => {
    await client.listDashboards({ projectId: ID })
    await client.readDashboard(ID)
    await client.createDashboard({ name: 'mine', projectId: ID, charts: CHARTS })
    await client.updateDashboard(ID, { charts: CHARTS, modifiedAt: 'then' })
    await client.deleteDashboard(ID)
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /dashboards',
      `GET /dashboards/${ID}`,
      'POST /dashboards',
      `PATCH /dashboards/${ID}`,
      `DELETE /dashboards/${ID}`,
    ])
    expect(server.requests[0]!.query.get('session_id')).toBe(ID)
    expect(JSON.parse(server.requests[2]!.body.toString())).toEqual({ name: 'mine', session_id: ID, charts: CHARTS })
    expect(JSON.parse(server.requests[3]!.body.toString())).toEqual({ charts: CHARTS, modified_at: 'then' })
  })

  it('are named by ids', async () => {
    await expect(client.readDashboard('../runs')).rejects.toThrow()
    expect(server.requests).toEqual([])
  })
})

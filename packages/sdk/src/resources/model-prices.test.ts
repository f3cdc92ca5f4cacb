import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '0197aaaa-0000-7000-8000-000000000000'

describe('pricing stored runs again', () => {
  let server: Recorder
  let client: Client
  beforeEach(async () => {
    server = await Recorder.start()
    client = new Client({ apiUrl: server.url })
  })
  afterEach(() => server.stop())

  it('is estimated, started, waited for and undone', async () => {
    const states = [null, '2026-01-01T00:00:00Z']
    server.respond(({ method }) => ({
      body: method === 'GET' ? { id: ID, ended_at: states.shift() } : { run_count: 3, job: { id: ID } },
    }))
    expect(await client.estimateRepricing({ models: ['m'] })).toEqual({ run_count: 3 })
    expect(await client.reprice({ models: ['m'], expected_total: 3 })).toEqual({ id: ID })
    const seen: unknown[] = []
    await client.waitForJob(ID, { intervalMs: 1, onProgress: ({ ended_at }) => seen.push(ended_at) })
    expect(seen).toEqual([null, '2026-01-01T00:00:00Z'])
    await client.undoJob(ID)
    const sent = server.calls.map(({ method, path, body }) => [
      `${method} ${path}`,
      body.length > 0 ? JSON.parse(body.toString()) : undefined,
    ])
    expect(sent).toEqual([
      ['POST /model-price-map/reprice', { models: ['m'], dry_run: true }],
      ['POST /model-price-map/reprice', { models: ['m'], expected_total: 3 }],
      [`GET /jobs/${ID}`, undefined],
      [`GET /jobs/${ID}`, undefined],
      [`POST /jobs/${ID}/undo`, undefined],
    ])
  })
})

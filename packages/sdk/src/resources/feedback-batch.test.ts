import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { partsOf, Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const RUN = '2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d'
let server: Recorder
let client: Client
beforeEach(async () => {
  server = await Recorder.start()
  client = new Client({ apiUrl: server.url, apiKey: 'k', callerOptions: { maxRetries: 0 } })
})
afterEach(() => server.stop())

const records = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ runId: RUN, key: `k${at}`, score: at / 3, ...more }))
const lines = () => server.calls.map(({ method, path }) => `${method} ${path}`)

describe('a batch of feedback', () => {
  it('travels in parts of few requests', async () => {
    expect(await client.createFeedbackBatch(records(250))).toEqual(Array(250).fill(undefined))

    expect(lines()).toEqual(Array(3).fill('POST /runs/multipart'))
    const parts = server.calls.flatMap(partsOf)
    expect(parts).toHaveLength(250)
    const first = JSON.parse(parts[1]!.data.toString())
    expect(first).toMatchObject({ run_id: RUN, key: 'k1', score: 0.3333, feedback_source: { type: 'api' } })
    expect(parts[1]).toMatchObject({ name: `feedback.${first.id}`, type: 'application/json' })
  })

  it('is cut by size too', async () => {
    await client.createFeedbackBatch(records(5, { comment: 'x'.repeat(1_500_000) }))
    expect(lines()).toEqual(['POST /runs/multipart', 'POST /runs/multipart', 'POST /feedback'])
  })

  it('tells of each record what was wrong with it', async () => {
    server.respond(({ path, body }) => {
      if (path !== '/runs/multipart') return undefined
      const id = /"id":"([^"]+)","run_id":"[^"]+","key":"k2"/.exec(body.toString())![1]
      return { status: 202, body: { errors: [{ run_id: `feedback.${id}`, error: 'no' }] } }
    })
    const [, bad, ...others] = await client.createFeedbackBatch([records(1)[0]!, { key: 'x' }, ...records(3)])
    expect(bad).toMatchObject({ message: 'One of runId or projectId must be provided' })
    expect(others.map(String)).toEqual(['undefined', 'undefined', 'APIError: Failed to create feedback: no'])
  })

  it('goes one by one where it is refused as a whole', async () => {
    server.respond(({ path, body }) =>
      path === '/runs/multipart' ? { status: 404 } : { status: body.includes('"k1"') ? 400 : 200, body: {} },
    )
    const [first, second] = await client.createFeedbackBatch(records(2))
    expect(lines()).toEqual(['POST /runs/multipart', 'POST /feedback', 'POST /feedback'])
    expect([first, second]).toEqual([undefined, expect.objectContaining({ status: 400 })])
  })

  it('does not hammer a server that is down', async () => {
    server.respond(() => ({ status: 500 }))
    expect(await client.createFeedbackBatch(records(2))).toMatchObject([{ status: 500 }, { status: 500 }])
    expect(lines()).toEqual(['POST /runs/multipart'])
  })

  it('leaves out what is not sampled', async () => {
    const none = new Client({ apiUrl: server.url, apiKey: 'k', tracingSamplingRate: 0 })
    expect(await none.createFeedbackBatch(records(2))).toEqual([undefined, undefined])
    expect(lines()).toEqual([])
  })
})

import { sharing } from '@touchstone/contract/routes'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../test/recorder.ts'
import { NotFoundError, PublicClient, uuid7 } from './index.ts'

const TOKEN = uuid7()
const RUN = uuid7()

let server: Recorder
let client: PublicClient

beforeEach(async () => {
  process.env.TOUCHSTONE_API_KEY = 'secret'
  process.env.TOUCHSTONE_WORKSPACE_ID = 'workspace'
  server = await Recorder.start()
  client = new PublicClient(TOKEN, { apiUrl: server.url, callerOptions: { maxRetries: 1 } })
})
afterEach(async () => {
  delete process.env.TOUCHSTONE_API_KEY
  delete process.env.TOUCHSTONE_WORKSPACE_ID
  await server.stop()
})

const paths = () =>
  server.requests.map(({ method, path, query }) => `${method} ${path}${query.size ? `?${query}` : ''}`)

describe('a client of a share link', () => {
  it('reads runs, the run tree and feedback of the link', async () => {
    server.respond(({ path }) => ({ body: path.endsWith('/query') ? { runs: [{ id: RUN, inputs: null }] } : {} }))
    await client.readRun()
    await client.readRun({ runId: RUN })
    await client.readTraceTree()
    expect(await client.queryRuns({ id: [RUN], select: ['id'] })).toEqual([{ id: RUN, inputs: {} }])
    server.respond(() => ({ body: [{ id: 'f' }] }))
    const feedback = []
    for await (const record of client.listFeedback({ runIds: [RUN] })) feedback.push(record)
    expect(feedback).toEqual([{ id: 'f' }])
    expect(paths()).toEqual([
      `GET /public/${TOKEN}/run`,
      `GET /public/${TOKEN}/run/${RUN}`,
      `GET /public/${TOKEN}/trace/runs`,
      `POST /public/${TOKEN}/runs/query`,
      `GET /public/${TOKEN}/feedbacks?run=${RUN}&offset=0&limit=100`,
    ])
  })

  it('sends neither the key nor the workspace of the environment', async () => {
    await client.readTraceTree()
    expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key')
    expect(server.requests[0]?.headers).not.toHaveProperty('x-tenant-id')
  })

  it('returns the bytes of a public route', async () => {
    server.respond(() => ({ body: '{"id": 9007199254740993}' }))
    const response = await client.raw(sharing.publicRunById, { params: { run_id: RUN } })
    expect(await response.text()).toBe('{"id": 9007199254740993}')
    expect(paths()).toEqual([`GET /public/${TOKEN}/run/${RUN}`])
  })

  it('rejects when the link is closed', async () => {
    server.respond(() => ({ status: 404, body: { detail: 'Share token not found' } }))
    await expect(client.readRun()).rejects.toBeInstanceOf(NotFoundError)
    await expect(client.raw(sharing.publicRun)).rejects.toMatchObject({ status: 404 })
  })
})

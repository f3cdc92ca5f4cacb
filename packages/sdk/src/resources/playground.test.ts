import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { Client } from '../index.ts'

const ID = '0197aaaa-0000-7000-8000-000000000000'
const VARIANT = { name: 'a', provider_id: ID, model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] }

describe('jobs and drafts of the playground', () => {
  let server: Recorder
  let client: Client
  beforeEach(async () => {
    server = await Recorder.start()
    client = new Client({ apiUrl: server.url })
    server.respond(() => ({ body: { id: ID, state: 'COMPLETED' } }))
  })
  afterEach(() => server.stop())

  const asked = () =>
    server.calls.map(({ method, path, body }) => [
      `${method} ${path}`,
      body.length > 0 ? JSON.parse(body.toString()) : undefined,
    ])

  it('are created, read, paused, resumed and stopped', async () => {
    const job = { dataset_id: ID, name: 'compare', variants: [VARIANT] }
    await client.estimatePlaygroundJob(job)
    await client.createPlaygroundJob(job)
    await client.listPlaygroundJobs({ datasetId: ID, limit: 2 })
    await client.pausePlaygroundJob(ID)
    await client.resumePlaygroundJob(ID, { max_cost_usd: 2 })
    await client.stopPlaygroundJob(ID)
    expect(await client.waitForPlaygroundJob(ID)).toMatchObject({ state: 'COMPLETED' })
    expect(asked()).toEqual([
      ['POST /playground/estimate', job],
      ['POST /playground/jobs', job],
      ['GET /playground/jobs', undefined],
      [`POST /playground/jobs/${ID}/pause`, undefined],
      [`POST /playground/jobs/${ID}/resume`, { limits: { max_cost_usd: 2 } }],
      [`POST /playground/jobs/${ID}/stop`, undefined],
      [`GET /playground/jobs/${ID}`, undefined],
    ])
    await expect(client.readPlaygroundJob('../drafts')).rejects.toThrow(/uuid/i)
  })

  it('wait until a job no longer runs, and report its progress', async () => {
    const states = ['RUNNING', 'RUNNING', 'PAUSED']
    server.respond(() => ({ body: { state: states.shift() } }))
    const seen: string[] = []
    await client.waitForPlaygroundJob(ID, { intervalMs: 1, onProgress: ({ state }) => seen.push(state) })
    expect(seen).toEqual(['RUNNING', 'RUNNING', 'PAUSED'])
  })

  it('are saved under a version', async () => {
    await client.createPlaygroundDraft({ name: 'tone', body: { a: 1 } })
    await client.updatePlaygroundDraft(ID, { name: 'tone 2', expected_version: 1 })
    await client.readPlaygroundDraft(ID)
    await client.listPlaygroundDrafts()
    await client.deletePlaygroundDraft(ID)
    expect(asked()).toEqual([
      ['POST /playground/drafts', { name: 'tone', body: { a: 1 } }],
      [`PATCH /playground/drafts/${ID}`, { name: 'tone 2', expected_version: 1 }],
      [`GET /playground/drafts/${ID}`, undefined],
      ['GET /playground/drafts', undefined],
      [`DELETE /playground/drafts/${ID}`, undefined],
    ])
  })
})

describe('a run of the playground', () => {
  let server: Server | undefined
  afterEach(() => server?.closeAllConnections())

  /** A server that sends these pieces of a stream, and then leaves it open or ends it. */
  async function open(pieces: readonly (string | Buffer)[], isOpen = false) {
    let close = () => {}
    const closed = new Promise<void>((resolve) => {
      close = resolve
    })
    const opened = createServer(async (request, response) => {
      for await (const _ of request);
      response.on('close', close)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const piece of pieces) {
        response.write(piece)
        // Pause: each piece is a packet of its own.
        await new Promise((next) => setTimeout(next, 5))
      }
      if (!isOpen) response.end()
    })
    server = opened
    await new Promise<void>((done) => opened.listen(0, '127.0.0.1', done))
    const { port } = opened.address() as AddressInfo
    return { client: new Client({ apiUrl: `http://127.0.0.1:${port}` }), closed }
  }

  it('yields events that come in pieces, and leaves out comments', async () => {
    const event = Buffer.from('data: {"type":"text","variant":0,"repeat":0,"text":"Grüße"}\n\n')
    const pieces = [': open\n\n', event.subarray(0, 60), event.subarray(60), 'data: {"type":"finished"}\n\n']
    const { client } = await open(pieces)
    const events = []
    for await (const one of client.runPlayground({ variants: [VARIANT] })) events.push(one)
    expect(events).toEqual([{ type: 'text', variant: 0, repeat: 0, text: 'Grüße' }, { type: 'finished' }])
  })

  it('fails when the stream ends before its answers', async () => {
    const { client } = await open(['data: {"type":"finished"}\n\n'])
    const read = async () => {
      for await (const _ of client.runPlayground({ variants: [VARIANT], repeats: 2 }));
    }
    await expect(read()).rejects.toThrow('before 1 of the answers')
  })

  it('ends the connection when its loop is left', async () => {
    const { client, closed } = await open(['data: {"type":"started"}\n\n'], true)
    for await (const _ of client.runPlayground({ variants: [VARIANT] })) break
    await closed
  })
})

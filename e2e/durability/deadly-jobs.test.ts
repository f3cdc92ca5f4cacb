import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFull } from '../support/scale.ts'
import { startServer } from '../support/start-server.ts'

const ANSWER = { choices: [{ message: { role: 'assistant', content: 'an answer' }, finish_reason: 'stop' }] }
const REASON = 'The server stopped unexpectedly twice while this job was running. Resume it to try again.'

describe.runIf(isFull)('a server that dies while it runs a playground job', () => {
  let dataDir: string
  let provider: Server
  let calls = 0
  /** Calls that wait for their response. */
  const waiting: ServerResponse[] = []
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'touchstone-deadly-'))
    // Until the test answers, the job is under way for as long as it needs.
    provider = createServer((request, response) => {
      request.resume()
      request.on('end', () => {
        calls++
        waiting.push(response)
      })
    })
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    provider.closeAllConnections()
    provider.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const start = async () => {
    const server = await startServer({ dataDir })
    return { server, client: new Client({ apiUrl: server.url }) }
  }
  const awaitCall = async (after: number) => {
    await expect.poll(() => calls, { timeout: 60_000 }).toBeGreaterThan(after)
  }

  it('pauses it with the reason after two deaths, and not after stops', { timeout: 400_000 }, async () => {
    const first = await start()
    const { id: provider_id } = await first.client.createModelProvider({
      name: 'Silent',
      kind: 'openai-chat',
      base_url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`,
      key: 'sk-silent-0123456789',
    })
    const { id: dataset_id } = await first.client.createDataset('rows')
    await first.client.createExamples([{ dataset_id, inputs: { question: 'why' } }])
    const variant = {
      name: 'silent',
      provider_id,
      model: 'silent',
      template_format: 'f-string' as const,
      messages: [{ role: 'user' as const, content: 'Say {question}' }],
    }
    const { id } = await first.client.createPlaygroundJob({ dataset_id, name: 'deadly', variants: [variant] })
    const read = ({ client }: Pick<typeof first, 'client'>) => client.readPlaygroundJob(id)
    await awaitCall(0)

    // Stops in order count for nothing, however many there are.
    await first.server.stop()
    let current = first
    for (let stop = 0; stop < 2; stop++) {
      const before = calls
      current = await start()
      await awaitCall(before)
      expect(await read(current)).toMatchObject({ state: 'RUNNING', reason: null })
      if (stop === 0) await current.server.stop()
    }

    await current.server.kill()
    let before = calls
    const second = await start()
    await awaitCall(before)
    expect(await read(second)).toMatchObject({ state: 'RUNNING', reason: null })
    await second.server.kill()

    before = calls
    const third = await start()
    await expect.poll(() => read(third), { timeout: 60_000 }).toMatchObject({ state: 'PAUSED', reason: REASON })
    await third.server.kill()
    const fourth = await start()
    expect(await read(fourth)).toMatchObject({ state: 'PAUSED', reason: REASON, ended_at: null })
    expect(calls).toBe(before)

    // A user may try again: it then counts from the first death on.
    await fourth.client.resumePlaygroundJob(id)
    await awaitCall(before)
    await fourth.server.kill()
    before = calls
    const last = await start()
    await awaitCall(before)
    expect(await read(last)).toMatchObject({ state: 'RUNNING', reason: null })

    // Those before the last were made by servers that have ended.
    for (const response of waiting) response.setHeader('content-type', 'application/json').end(JSON.stringify(ANSWER))
    expect(await last.client.waitForPlaygroundJob(id)).toMatchObject({ state: 'COMPLETED', done: 1, failed: 0 })
    await last.server.stop()
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../support/start-server.ts'

const env = { TOUCHSTONE_OUTBOUND_ALLOW: '127.0.0.1' }
const manifest = (template: string) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
  kwargs: { template, input_variables: [], template_format: 'f-string' },
})

describe('a server that is killed with webhooks on their way', () => {
  let dataDir: string
  const heard: { id: string; event: string; template: string }[] = []
  let isAway = true
  // A webhook receiver that is unavailable at first.
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (isAway) return void response.writeHead(503).end()
    const { event, manifest } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    heard.push({ id: String(request.headers['webhook-id']), event, template: manifest.kwargs.template })
    response.end()
  })
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'touchstone-webhooks-'))
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  })
  afterAll(async () => {
    receiver.closeAllConnections()
    receiver.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('delivers each push that it had answered, at its next start', { timeout: 300_000 }, async () => {
    const first = await startServer({ dataDir, env })
    const before = new Client({ apiUrl: first.url })
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const webhook = await before.createPromptWebhook({ url, triggers: ['commit', 'tag:create'] })
    for (const template of ['one', 'two', 'three']) {
      await before.pushPrompt('survivor', { object: manifest(template) })
    }
    await before.tagCommit('survivor', 'v1')
    await first.kill()
    isAway = false

    const second = await startServer({ dataDir, env })
    const after = new Client({ apiUrl: second.url })
    const listReceived = () => [...new Set(heard.map(({ event, template }) => `${event} ${template}`))].toSorted()
    // Each failed try doubles the wait for the next one, and a slow machine tries more often before the kill.
    await expect
      .poll(listReceived, { timeout: 200_000, interval: 200 })
      .toEqual(['commit one', 'commit three', 'commit two', 'tag:create three'])
    await expect
      .poll(async () => (await after.listPromptWebhookDeliveries(webhook.id)).deliveries.map(({ status }) => status), {
        timeout: 20_000,
      })
      .toEqual(['delivered', 'delivered', 'delivered', 'delivered'])
    // One that was received but not noted may come again, and is known by its id.
    expect(new Set(heard.map(({ id }) => id)).size).toBe(4)
    await second.stop()
  })
})

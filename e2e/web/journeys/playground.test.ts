import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { percentile } from '../../../bench/support/figures.ts'
import { noteFigure } from '../../support/budgets.ts'
import { FRAME_MS, paceWhile } from '../../support/pace.ts'
import { startUi, type Ui } from '../../support/start-ui.ts'

let ui: Ui
let client: Client
let providerId: string
let model: Awaited<ReturnType<typeof startSteadyModel>>
beforeAll(async () => {
  model = await startSteadyModel()
  ui = await startUi()
  client = new Client({ apiUrl: `${ui.server.url}/api/v1`, webUrl: ui.server.url })
  const provider = { name: 'Models', kind: 'openai-chat', base_url: model.url } as const
  providerId = (await client.createModelProvider({ ...provider, models: ['steady'] })).id
})
afterAll(async () => {
  await ui?.stop()
  model?.close()
})

const open = (search = '') => ui.open(`/o/${ui.tenant}/playground${search}`)
const content = (page: Page, name = 'A') =>
  page.getByRole('textbox', { name: `Content of Message 2 of ${name}`, exact: true })

describe('journey 33: the playground under load', () => {
  it('types in a prompt of 200 kB', async () => {
    const text = 'A sentence of a prompt with {word} in it.\n'.repeat(4900)
    const messages = [
      { role: 'system', content: 'You are brief.' },
      { role: 'user', content: text },
    ]
    const fields = { format: 'f-string', tools: '', parameters: {}, extraBody: '' }
    const variants = [{ key: '1', name: 'A', providerId, model: 'steady', messages, ...fields }]
    const body = { version: 2, variants, values: {}, repeats: 1, runs: {}, origin: {} }
    const { id } = await client.createPlaygroundDraft({ name: 'A long prompt', body })
    const page = await open(`?draft=${id}`)
    await content(page).waitFor()
    const times = await measureKeys(page, 60)
    noteFigure('33', 'key in a prompt of 200 kB, median work of the page', percentile(times, 0.5), 16)
    noteFigure('33', 'key in a prompt of 200 kB, p95', percentile(times, 0.95), 16)
    expect(await content(page).inputValue()).toBe(text + 'x'.repeat(60))
  })

  it('shows six streams at once', async () => {
    const page = await open()
    await content(page).fill('Go on')
    await page.getByRole('spinbutton', { name: 'Repeats' }).fill('2')
    for (const name of ['B', 'C']) {
      await page.getByRole('button', { name: 'Add variant' }).click()
      await content(page, name).waitFor()
    }
    await page.getByRole('button', { name: 'Run all' }).click()
    for (const name of ['A', 'B', 'C']) {
      for (const at of [1, 2]) {
        await page
          .getByRole('region', { name: `Output ${at} of ${name}` })
          .getByText(/some more words/)
          .waitFor()
      }
    }
    const pace = await paceWhile(page, () => page.waitForTimeout(5_000))
    noteFigure('33', 'six streams, frame time p95', pace.frameP95, FRAME_MS)
    noteFigure('33', 'six streams, longest task', pace.longestTask, 50)
    await page.getByRole('button', { name: 'Stop all' }).click()
    await page.getByText('Stopped').first().waitFor()
  })
})

/** Milliseconds that the main thread works for one key typed at the end of a field, rendering included. */
async function measureKeys(page: Page, keys: number): Promise<number[]> {
  await content(page).focus()
  await page.keyboard.press('Control+End')
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const readMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
  const times: number[] = []
  for (let at = 0; at < keys; at++) {
    const before = await readMs()
    await page.keyboard.press('x')
    // Pause: until the frame with the key is drawn.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
    times.push((await readMs()) - before)
  }
  await session.detach()
  return times
}

/** A model that sends a piece every 10 ms until the client leaves. */
async function startSteadyModel(): Promise<{ url: string; close: () => void }> {
  const server = createServer((incoming, response) => {
    incoming.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const delta = { content: 'some more words ' }
    const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
    const timer = setInterval(() => response.write(piece), 10)
    response.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close }
}

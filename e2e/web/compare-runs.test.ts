import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { expectQuietConsole, type OpenOptions, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter, type WrittenRun, writeLargeTrace } from '../support/trace-writer.ts'

let ui: Ui
let a: WrittenRun
let b: WrittenRun
beforeAll(async () => {
  ui = await openWorkspace()
  a = await writeTrace({ model: 'model-a', answer: 'Open Settings, then press Reset.' })
  b = await writeTrace({ model: 'model-b', answer: 'Open Preferences, then press Reset.', isSlower: true })
})
afterAll(() => ui?.stop())

const open = (search = '', options: OpenOptions = {}) =>
  ui.open(`/o/${ui.tenant}/compare-runs?a=${a.id}&b=${b.id}${search}`, options)
const tree = (page: Page) => page.getByRole('tree', { name: 'Merged traces' })
const step = (page: Page, name: string) => tree(page).getByRole('treeitem').filter({ hasText: name })
const differences = (page: Page) => page.getByRole('region', { name: 'Differences', exact: true })

describe('two runs side by side', () => {
  it('open after one run and then another is marked', async () => {
    const project = await projectIdOf(ui.server.url, 'compared')
    const page = await ui.open(`/o/${ui.tenant}/projects/p/${project}/r/${a.id}`)
    await page.getByRole('region', { name: 'Run details' }).getByRole('heading', { name: 'rag_chain' }).waitFor()
    await page.keyboard.press('m')
    await page.getByText('rag_chain marked').waitFor()
    await page.goto(`${ui.server.url}/o/${ui.tenant}/projects/p/${project}/r/${b.id}`)
    await page.getByRole('region', { name: 'Run details' }).getByRole('heading', { name: 'rag_chain' }).waitFor()
    await page.keyboard.press('m')
    await tree(page).waitFor()
    expect([new URL(page.url()).searchParams.get('a'), new URL(page.url()).searchParams.get('b')]).toEqual([a.id, b.id])
    expectQuietConsole(page)
  })

  it('are one tree with added, removed and changed steps', async () => {
    const page = await open('')
    await page.getByText('2 changed · 1 added · 1 removed · 2 same').waitFor()
    await step(page, 'lookup').getByText('only in B').waitFor()
    await step(page, 'rank').getByText('only in A').waitFor()
    await step(page, 'rag_chain').getByText('+1.50 s').waitFor()
    await page.getByText(/^1 metadata key differs: model$/).click()
    await page.getByRole('cell', { name: 'model-b' }).waitFor()
    await expectAccessibleInThemes(page, 'different metadata')
    expectQuietConsole(page)
    for (const tab of ['JSON', 'Text']) {
      await page.getByRole('radio', { name: tab }).click()
      await differences(page).getByText('Preferences').first().waitFor()
      expectQuietConsole(page)
    }
  })

  it('update while one is running, keep collapsed steps, and compare scores with a verdict', async () => {
    const writer = new TraceWriter(ui.server.url, 'compared')
    const going = writer.add({ name: 'rag_chain', at: [0] })
    const retrieving = writer.add({ parent: going, name: 'retrieve', at: [1, 20] })
    writer.add({ parent: retrieving, name: 'embed_query', at: [2, 10] })
    await writer.send()
    const page = await ui.open(`/o/${ui.tenant}/compare-runs?a=${going.id}&b=${going.id}`)
    await step(page, 'embed_query').waitFor()
    await step(page, 'retrieve').click()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => step(page, 'embed_query').count()).toBe(0)

    const late = new TraceWriter(ui.server.url, 'compared')
    late.add({ parent: going, name: 'a_late_step', at: [0.5, 90] })
    await late.send()
    const api = (method: string, path: string, body: object) =>
      fetch(`${ui.server.url}/api/v1${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await api('PATCH', `/runs/${going.id}`, { end_time: new Date().toISOString(), outputs: { done: true } })
    await step(page, 'a_late_step').waitFor({ timeout: 20_000 })
    expect(await step(page, 'embed_query').count()).toBe(0)

    for (const [run, score] of [
      [a, 0.5],
      [b, 0.75],
    ] as const)
      await api('POST', '/feedback', { run_id: run.id, key: 'helpful', score })
    const scored = await open()
    await scored.getByText('+0.25').waitFor()
    await expectAccessibleInThemes(scored, 'different scores')
    expectQuietConsole(scored)
  })

  it('show the words that differ between two steps', async () => {
    const page = await open()
    await step(page, 'ChatModel').click()
    await differences(page).locator('mark', { hasText: 'Settings' }).waitFor()
    await differences(page).locator('mark', { hasText: 'Preferences' }).waitFor()
    expect(await differences(page).locator('mark').count()).toBe(2)
  })

  it('are navigated by keys from difference to difference, and swapped', async () => {
    const page = await open()
    await tree(page).waitFor()
    await page.keyboard.press('n')
    await expect.poll(() => tree(page).locator('[aria-selected=true]').textContent()).toContain('rank')
    await page.keyboard.press('Shift+N')
    await expect.poll(() => tree(page).locator('[aria-selected=true]').textContent()).toContain('rag_chain')
    await page.keyboard.press('d')
    await page.getByText('1 equal step hidden').waitFor()
    await page.keyboard.press('Shift+S')
    await step(page, 'lookup').getByText('only in A').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('a')).toBe(b.id)
    await page.goBack()
    await step(page, 'lookup').getByText('only in B').waitFor()
  })

  it('fit a phone', async () => {
    const page = await open('', { size: PHONE })
    await tree(page).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })

  it('explain the selection without runs, and name a missing run', async () => {
    const page = await ui.open(`/o/${ui.tenant}/compare-runs`)
    await page.getByRole('heading', { name: 'Select two runs to compare' }).waitFor()
    await page.goto(`${ui.server.url}/o/${ui.tenant}/compare-runs?a=${a.id}&b=${randomUUID()}`)
    await page.getByText('This run was not found').waitFor()
  })

  it('may have 5,000 runs each', async () => {
    const [one, other] = [
      await writeLargeTrace(ui.server.url, 'large a', 5_000),
      await writeLargeTrace(ui.server.url, 'large b', 4_900),
    ]
    const page = await ui.open(`/o/${ui.tenant}/compare-runs?a=${one.id}&b=${other.id}`)
    await page.getByText(/100 removed/).waitFor()
    expect(await tree(page).getByRole('treeitem').count()).toBeLessThanOrEqual(60)
  })
})

interface Written {
  model: string
  answer: string
  isSlower?: boolean
}

async function writeTrace({ model, answer, isSlower = false }: Written): Promise<WrittenRun> {
  const writer = new TraceWriter(ui.server.url, 'compared')
  const messages = [{ role: 'user', content: 'How do I reset it?' }]
  const outputs = { choices: [{ message: { role: 'assistant', content: answer } }] }
  const root = writer.add({
    ...{ name: 'rag_chain', at: [0, isSlower ? 4_000 : 2_500], extra: { metadata: { model, env: 'prod' } } },
    ...{ inputs: { question: 'How do I reset it?' }, outputs: { answer } },
  })
  const search = writer.add({ parent: root, name: 'search', type: 'retriever', at: [10, 200] })
  writer.add({ parent: search, name: 'embed', type: 'embedding', at: [20, 90] })
  if (!isSlower) writer.add({ parent: search, name: 'rank', type: 'tool', at: [100, 150] })
  if (isSlower) writer.add({ parent: root, name: 'lookup', type: 'tool', at: [210, 900], error: 'TimeoutError: slow' })
  writer.add({ parent: root, name: 'ChatModel', type: 'llm', at: [1_000, 2_000], inputs: { messages }, outputs })
  await writer.send()
  return root
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter, type WrittenRun } from '../support/trace-writer.ts'

const MINUTE = 60_000

let ui: Ui
let projectId: string
let path: string
const turns: Record<string, WrittenRun[]> = {}

beforeAll(async () => {
  ui = await openWorkspace()
  for (const [at, id] of ['refund', 'password', 'unscored'].entries()) {
    turns[id] = []
    for (let turn = 1; turn <= 2; turn++) {
      const writer = new TraceWriter(ui.server.url, 'support', Date.now() - (10 * at + 5 - turn) * MINUTE)
      const inputs = { messages: [{ role: 'user', content: `${id} question ${turn}` }] }
      const outputs = { messages: [{ role: 'assistant', content: `${id} answer ${turn}` }] }
      turns[id].push(
        writer.add({ name: 'agent', at: [0, 900], inputs, outputs, extra: { metadata: { thread_id: id } } }),
      )
      await writer.send()
    }
  }
  projectId = await projectIdOf(ui.server.url, 'support')
  path = `/o/${ui.tenant}/projects/p/${projectId}/threads`
})
afterAll(() => ui?.stop())

type Page = Awaited<ReturnType<Ui['open']>>
const turn = (page: Page, number: number) => page.getByRole('article', { name: `Turn ${number}`, exact: true })
const form = (page: Page) => page.getByRole('form', { name: 'New feedback' })
const read = async (query: string) =>
  (await (await fetch(`${ui.server.url}/api/v1/feedback?${query}`)).json()) as Record<string, unknown>[]

async function fill(page: Page, key: string, score: string) {
  await form(page).getByLabel('Key').fill(key)
  await form(page).getByLabel('Score').fill(score)
  await page.keyboard.press('Control+Enter')
  await form(page).waitFor({ state: 'detached' })
}

describe('the scores of a thread', () => {
  it('are given on the conversation and on its turns', async () => {
    const page = await ui.open(`${path}/refund`)
    await turn(page, 2).getByText('refund answer 2').waitFor()
    await page.getByRole('button', { name: 'Scores of the thread' }).click()
    const panel = page.getByRole('complementary', { name: 'Scores of the thread' })
    await panel.getByText('No scores for the whole conversation yet.').or(panel.getByText('Person')).first().waitFor()
    await panel.getByRole('button', { name: 'Add feedback' }).click()
    expectQuietConsole(page)
    await fill(page, `solved`, '0.5')
    await panel.getByRole('article', { name: `Feedback solved` }).getByText('0.50').waitFor()
    const given = await read(`feedback_thread_id=refund&key=solved`)
    expect(given).toMatchObject([{ run_id: null, session_id: projectId, score: 0.5, feedback_source: { type: 'app' } }])
    await page.reload()
    await panel.getByRole('article', { name: `Feedback solved` }).waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })

    await turn(page, 2).getByRole('button', { name: 'Score turn 2' }).click()
    await form(page).waitFor()
    expectQuietConsole(page)
    await fill(page, `polite`, '1')
    const chip = turn(page, 2).getByRole('button', { name: `polite 1.00` })
    await chip.waitFor()
    expect(await read(`run=${turns.refund?.[1]?.id}&key=polite`)).toMatchObject([{ score: 1 }])
    await chip.click()
    const peek = page.getByRole('complementary', { name: 'Run' })
    await peek.getByRole('article', { name: `Feedback polite` }).waitFor()
    expectQuietConsole(page)
  })

  it('are given by keyboard: a on the turn, Shift+A on the thread', async () => {
    const page = await ui.open(`${path}/password?turn=1`)
    await turn(page, 1).getByText('password answer 1').waitFor()
    await page.keyboard.press('a')
    await form(page).waitFor()
    await fill(page, 'tone', '0')
    await turn(page, 1).getByRole('button', { name: 'tone 0.00' }).waitFor()
    await page.keyboard.press('Shift+A')
    await page.getByRole('complementary', { name: 'Scores of the thread' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('complementary', { name: 'Scores of the thread' }).waitFor({ state: 'detached' })
  })

  it('are columns of the list, and filter it', async () => {
    for (const [thread, score] of [
      ['refund', 1],
      ['password', 0],
    ] as const) {
      const headers = { 'content-type': 'application/json' }
      const body = { session_id: projectId, feedback_thread_id: thread, key: 'a_listed', score }
      await fetch(`${ui.server.url}/api/v1/feedback`, { method: 'POST', headers, body: JSON.stringify(body) })
    }
    const page = await ui.open(path)
    await page.getByRole('columnheader', { name: 'a_listed' }).waitFor()
    await page.locator('[data-row="refund"]').getByText('1.00').first().waitFor()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Score', exact: true }).click()
    const popover = page.getByRole('dialog', { name: 'Filter by score' })
    await popover.getByLabel('Key').fill('a_listed')
    await popover.getByRole('button', { name: 'Apply' }).click()
    await popover.getByText('Enter a score.').waitFor()
    await popover.getByLabel('Score').fill('0.5')
    expectQuietConsole(page)
    await popover.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => page.locator('[data-row]').count()).toBe(1)
    await page.locator('[data-row="refund"]').waitFor()
    await page.reload()
    await expect.poll(() => page.locator('[data-row]').count()).toBe(1)
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Remove feedback a_listed ≥ 0.5' }).click()
    await expect.poll(() => page.locator('[data-row]').count()).toBe(3)

    await page.goto(`${ui.server.url}${path}?threadFilter=${encodeURIComponent('eq(feedback_key, "unknown")')}`)
    await page.getByRole('heading', { name: 'No threads found' }).waitFor()
    await page.getByRole('button', { name: 'Clear scores' }).click()
    await expect.poll(() => page.locator('[data-row]').count()).toBe(3)
  })

  it('fit a phone', async () => {
    const page = await ui.open(`${path}/refund?scores=1`, { size: PHONE })
    await page.getByRole('complementary', { name: 'Scores of the thread' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })
})

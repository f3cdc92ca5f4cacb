import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectQuietConsole, PHONE, startUi, type Ui } from '../support/start-ui.ts'
import { TraceWriter } from '../support/trace-writer.ts'

const HOUR = 3_600_000

/** Sends traces of today and of the day before, of which a share fails. */
async function seed(url: string, project: string, today: [number, number], before: [number, number]) {
  for (const [day, [count, failing]] of [today, before].entries()) {
    for (let at = 0; at < count; at++) {
      const writer = new TraceWriter(url, project, Date.now() - (day * 24 + 1) * HOUR - at * 60_000)
      writer.add({ name: 'answer', at: [0, 300], ...(at < count * failing ? { error: 'Boom' } : {}) })
      await writer.send()
    }
  }
}

describe('the home page of an empty workspace', () => {
  let ui: Ui
  beforeAll(async () => {
    ui = await startUi()
  })
  afterAll(() => ui?.stop())

  it('shows how to send a trace, and checks off the first steps', async () => {
    const page = await ui.open('/')
    await page.waitForURL(`**/o/${ui.tenant}`)
    await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
    const steps = page.getByRole('region', { name: 'Get started' })
    await steps.getByText('0 of 5').waitFor()
    expectQuietConsole(page)

    await seed(ui.server.url, 'first', [1, 0], [0, 0])
    await page.getByText('First trace received:').waitFor()
    await steps.getByText('1 of 5').waitFor()
    // All cards show the trace without a reload.
    const projects = page.getByRole('region', { name: 'Projects, largest decline first' })
    await projects.getByRole('rowheader', { name: 'first' }).waitFor()
    await page.getByRole('region', { name: 'Slowest traces' }).getByRole('link', { name: 'answer' }).waitFor()
    expect(await page.getByText('No traces in the last 48 hours').count()).toBe(0)
    await steps.getByRole('link', { name: 'the latest trace' }).click()
    await page.waitForURL('**/r/*?tab=feedback**')

    await page.goto(ui.server.url)
    await steps.getByRole('button', { name: 'Dismiss' }).click()
    await steps.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('rowheader').first().waitFor()
    expect(await steps.count()).toBe(0)
  })
})

describe('the home page', () => {
  let ui: Ui
  beforeAll(async () => {
    ui = await startUi()
    await seed(ui.server.url, 'steady', [20, 0.1], [20, 0.1])
    await seed(ui.server.url, 'got worse', [20, 0.5], [20, 0.05])
    await seed(ui.server.url, 'fell silent', [0, 0], [30, 0])
  })
  afterAll(() => ui?.stop())

  it('lists the worst change first, and links every number to its runs', async () => {
    const page = await ui.open(`/o/${ui.tenant}`)
    const table = page.getByRole('region', { name: 'Projects, largest decline first' })
    await table.getByRole('rowheader').first().waitFor()
    const names = await table.getByRole('rowheader').allTextContents()
    expect(names.slice(0, 3).sort()).toEqual(['fell silent', 'got worse', 'steady'])
    expect(names[2]).toBe('steady')
    await table.getByText('+45 pp').waitFor()
    await table.getByRole('img', { name: /^Activity of got worse: 20 traces, 10 failed/ }).waitFor()
    await page.getByText('No experiments yet').waitFor()
    const failed = page.getByRole('region', { name: 'Failed traces' })
    await failed.getByText('Boom').first().waitFor()
    expect(await failed.getByRole('link', { name: 'answer' }).count()).toBe(5)
    expect(await page.getByRole('region', { name: 'Slowest traces' }).getByText('300 ms').count()).toBe(5)
    expectQuietConsole(page)

    await table.getByRole('link', { name: '50 %' }).click()
    await page.getByRole('grid', { name: 'Traces' }).waitFor()
    await expect.poll(() => page.locator('[data-row]').count(), { timeout: 10_000 }).toBe(10)
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByRole('region', { name: 'Recently opened' }).getByRole('link', { name: 'got worse' }).waitFor()
  })

  it('is navigated by keyboard as one list, and fits a phone', async () => {
    const page = await ui.open('/', { size: PHONE })
    await page.getByRole('rowheader').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    const second = await page.getByRole('rowheader').nth(1).textContent()
    expect(await focused()).toBe(second)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/monitor?**')
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter } from '../support/trace-writer.ts'

const HOUR = 3_600_000
/** A past hour, so that no further runs arrive in it. */
const SPIKE_MS = Math.floor(Date.now() / HOUR) * HOUR - 6 * HOUR
const MODELS = ['gpt-4o', 'gpt-4o-mini', ...Array.from({ length: 8 }, (_, at) => `small-${at}`)]

/** Two traces per hour for a day, and 42 traces in one hour, of which 9 fail. Models differ. */
async function seed(url: string) {
  const write = async (startMs: number, at: number, failed: boolean) => {
    const writer = new TraceWriter(url, 'watched', startMs)
    const extra = {
      metadata: { env: at % 2 ? 'prod' : 'dev', ls_provider: 'openai', ls_model_name: MODELS[at % MODELS.length] },
    }
    const failure = failed ? { error: 'RateLimitError: 429\n  at call' } : {}
    const root = writer.add({ name: 'answer', at: [0, 400 + at * 20], extra, ...failure })
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
    writer.add({ parent: root, name: 'ChatModel', type: 'llm', at: [10, 300], extra, outputs: { usage } })
    await writer.send()
  }
  for (let hour = 2; hour < 22; hour++) {
    for (let at = 0; at < 2; at++) await write(SPIKE_MS + (6 - hour) * HOUR + at * 60_000, at, false)
  }
  for (let at = 0; at < 42; at++) await write(SPIKE_MS + 10 * 60_000 + at * 60_000, at, at < 9)
}

describe('the monitor', () => {
  let ui: Ui
  let path: string
  beforeAll(async () => {
    ui = await openWorkspace()
    await seed(ui.server.url)
    path = `/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, 'watched')}/monitor`
  })
  afterAll(() => ui?.stop())

  type Page = Awaited<ReturnType<Ui['open']>>
  const chart = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
  const plot = (page: Page, name: string) => chart(page, name).getByRole('img')
  /** A point near the bottom of a plot at a share of its width. */
  async function pointOf(page: Page, name: string, share: number) {
    const box = (await plot(page, name).locator('.u-over').boundingBox())!
    return { x: box.x + box.width * share, y: box.y + box.height - 3 }
  }
  const paramsOf = (page: Page) => new URL(page.url()).searchParams

  it('zooms into a spike, and Back restores the range', async () => {
    const page = await ui.open(`${path}?t=24h`)
    await plot(page, 'Volume').locator('.u-over').waitFor()
    expectQuietConsole(page)

    // The spike is 6 hours old in a range of 24 hours: drag over the time around it.
    const from = await pointOf(page, 'Volume', 0.7)
    const to = await pointOf(page, 'Volume', 0.8)
    await page.mouse.move(from.x, from.y - 40)
    await page.mouse.down()
    await page.mouse.move((from.x + to.x) / 2, from.y - 40)
    await page.mouse.move(to.x, from.y - 40)
    await page.mouse.up()
    await page.waitForURL((url) => url.searchParams.get('t')?.includes('..') ?? false)
    const zoomed = paramsOf(page)
      .get('t')!
      .split('..')
      .map((time) => Date.parse(time))
    expect(zoomed[1]! - zoomed[0]!).toBeLessThan(4 * HOUR)
    await plot(page, 'Latency').locator('.u-over').waitFor()

    await page.goBack()
    await page.waitForURL('**/monitor?t=24h')
    await plot(page, 'Volume').locator('.u-over').waitFor()
    expectQuietConsole(page)
  })

  it('shows the same number of runs in the menu of a point and in the list', async () => {
    const range = `${new Date(SPIKE_MS - 2 * HOUR).toISOString()}..${new Date(SPIKE_MS + 2 * HOUR).toISOString()}`
    const page = await ui.open(`${path}?t=${range}`)
    await plot(page, 'Volume').locator('.u-over').waitFor()
    const at = await pointOf(page, 'Volume', 0.63)
    await page.mouse.move(at.x, at.y)
    await page.mouse.click(at.x, at.y)
    const link = page.getByRole('link', { name: /^Open \d+ runs?$/ })
    await link.waitFor()
    const count = Number(/\d+/.exec((await link.textContent()) ?? '')?.[0])
    expect(count).toBeGreaterThan(0)

    await link.click()
    await page.getByRole('grid', { name: 'Traces' }).waitFor()
    await expect.poll(() => page.locator('[data-row]').count(), { timeout: 10_000 }).toBe(count)
    await page.goBack()
    await plot(page, 'Volume').locator('.u-over').waitFor()
    expect(paramsOf(page).get('t')).toBe(range)
  })

  it('shows a chart as a table, by keyboard, whose rows link to the same runs', async () => {
    const range = `${new Date(SPIKE_MS).toISOString()}..${new Date(SPIKE_MS + HOUR - 1).toISOString()}`
    const page = await ui.open(`${path}?t=${range}&tables=runs`)
    const table = chart(page, 'Volume').getByRole('table')
    const rows = table.getByRole('row').filter({ has: page.getByRole('button') })
    await rows.first().waitFor()
    const cells = await rows.first().getByRole('cell').allTextContents()
    const [ok, failed] = cells.map(Number)
    await rows.first().getByRole('button').press('Enter')
    await page.getByRole('link', { name: `Open ${ok! + failed!} run` }).waitFor()
    const failures = page.getByRole('link', { name: /^Failed/ })
    if (failed! > 0) expect(await failures.textContent()).toBe(`Failed ${failed}`)
    expectQuietConsole(page)
    await page.keyboard.press('Escape')
    await chart(page, 'Volume').getByRole('button', { name: 'View as chart' }).click()
    await plot(page, 'Volume').waitFor()
  })

  it('draws groups, combines small ones, and links each group to its runs', async () => {
    const range = `${new Date(SPIKE_MS).toISOString()}..${new Date(SPIKE_MS + HOUR - 1).toISOString()}`
    const page = await ui.open(`${path}?t=${range}`)
    await page.getByRole('button', { name: 'Group by' }).click()
    await page.getByRole('menuitemradio', { name: 'Model', exact: true }).click()
    await page.waitForURL('**scope=runs**')
    expect(paramsOf(page).get('group')).toBe('model')
    const legend = chart(page, 'Volume').getByRole('list')
    await legend.getByRole('button', { name: 'other (4)', exact: true }).waitFor()

    await chart(page, 'Volume').getByRole('button', { name: 'Totals by model' }).click()
    const totals = chart(page, 'Volume').getByRole('table')
    await totals.getByRole('button', { name: 'Group' }).click()
    expect(await totals.getByRole('row').nth(1).getByRole('rowheader').textContent()).toBe('gpt-4o')
    expectQuietConsole(page)
    await legend.getByRole('button', { name: /^list/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Other groups' })
    const row = dialog.getByRole('row').nth(1)
    await row.waitFor()
    const count = Number(await row.getByRole('cell').first().textContent())
    await row.getByRole('link').click()
    await page.getByRole('grid', { name: 'Runs' }).waitFor()
    await expect.poll(() => page.locator('[data-row]').count(), { timeout: 10_000 }).toBe(count)
  })

  it('groups errors by type and message, with links to their runs and to the latest trace', async () => {
    const page = await ui.open(`${path}?t=24h`)
    const errors = chart(page, 'Top errors')
    await errors.scrollIntoViewIfNeeded()
    const group = errors.getByRole('listitem').filter({ hasText: 'RateLimitError: 429' })
    await group.getByText(/^First seen .+, last /).waitFor()
    await group.getByRole('link', { name: 'RateLimitError: 429 9' }).click()
    await page.getByRole('grid', { name: 'Traces' }).waitFor()
    await expect.poll(() => page.locator('[data-row]').count(), { timeout: 10_000 }).toBe(9)
    await page.goBack()
    await group.getByRole('link', { name: 'Latest trace' }).click()
    await page.getByRole('region', { name: 'Why it failed' }).getByText('RateLimitError: 429').waitFor()
  })

  it('shows one line alone, hides a line with Alt, and shows all lines again', async () => {
    const page = await ui.open(`${path}?t=24h`)
    const p50 = chart(page, 'Latency').getByRole('button', { name: 'p50' })
    const p99 = chart(page, 'Latency').getByRole('button', { name: 'p99' })
    const pressed = async () => [await p50.getAttribute('aria-pressed'), await p99.getAttribute('aria-pressed')]
    await p50.click()
    expect(await pressed()).toEqual(['true', 'false'])
    await p50.click()
    await p99.click({ modifiers: ['Alt'] })
    expect(await pressed()).toEqual(['true', 'false'])
    await p99.click({ modifiers: ['Alt'] })
    expect(await pressed()).toEqual(['true', 'true'])
  })

  it('fails one chart at a time, with a retry', async () => {
    const page = await ui.open('/')
    await page.route('**/runs/errors', (route) => route.fulfill({ status: 400, json: { detail: 'no such luck' } }))
    await page.goto(`${ui.server.url}${path}?t=24h`)
    await chart(page, 'Top errors').scrollIntoViewIfNeeded()
    await chart(page, 'Top errors').getByText('Could not load errors').waitFor()
    await chart(page, 'Volume').scrollIntoViewIfNeeded()
    await plot(page, 'Volume').waitFor()
    await page.unroute('**/runs/errors')
    await chart(page, 'Top errors').getByRole('button', { name: 'Retry' }).click()
    await chart(page, 'Top errors')
      .getByRole('link', { name: /RateLimitError/ })
      .waitFor()
  })

  it('compares with the previous period by one more request, and fits a phone', async () => {
    const page = await ui.open('/', { size: PHONE })
    let requests = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/runs/series')) requests++
    })
    await page.goto(`${ui.server.url}${path}?t=7h`)
    const volume = chart(page, 'Volume')
    await volume.getByText('traces', { exact: true }).waitFor()
    await volume.getByText('per 15 minutes').waitFor()
    await volume.getByTitle('in the previous period').waitFor()
    await chart(page, 'Latency').getByText('p95 latency').waitFor()
    await page.getByRole('button', { name: 'Previous' }).click()
    await volume.getByRole('button', { name: 'runs, previous period' }).waitFor()
    expect(requests).toBe(2)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noteFigure } from '../support/budgets.ts'
import { type FirstPage, seedFirstPages } from '../support/first-pages.ts'
import { paintedAfter } from '../support/pace.ts'
import { DESKTOP, expectQuietConsole, startUi, type Ui } from '../support/start-ui.ts'
import { measureWire, WIRE_GOAL } from '../support/wire.ts'

/** A shorter wait goes unnoticed. */
const INSTANT_MS = 100

let ui: Ui
let pages: readonly FirstPage[]
beforeAll(async () => {
  ui = await startUi()
  pages = await seedFirstPages(ui.server.url, ui.tenant)
})
afterAll(() => ui?.stop())

describe('a page in a browser without a cache', () => {
  it.each(['Home', 'Projects', 'Runs list'])('is few requests and bytes: %s', async (name) => {
    const { page, wire } = await load(name)
    expectWithinGoal(wire)
    expectQuietConsole(page)
  })
})

describe('the first click on what loads its code after the page is drawn', () => {
  it('opens a menu on Home', async () => {
    const { page } = await load('Home')
    const ms = await paintedAfter(page, '[role=menuitemradio]', () =>
      page.getByRole('button', { name: 'Theme' }).click(),
    )
    noteFigure('31', 'first click → menu', ms, INSTANT_MS)
    expectQuietConsole(page)
  })

  it('opens the columns, the views, the preview and the palette of a list', async () => {
    const row = (page: Page) => page.locator('[data-row]').first()
    const openings: [string, string, (page: Page) => Promise<unknown>][] = [
      ['columns', '[aria-label="Shown columns"]', (page) => page.getByRole('button', { name: 'Columns' }).click()],
      ['views', '[aria-label="Name of a new view"]', (page) => page.getByRole('button', { name: 'Views' }).click()],
      ['preview', '[aria-label=Run] [role=tablist]', (page) => row(page).click()],
      ['palette', '[cmdk-input]', (page) => page.getByRole('button', { name: 'Search or jump' }).click()],
    ]
    for (const [what, content, open] of openings) {
      const { page } = await load('Runs list')
      noteFigure('31', `first click → ${what}`, await paintedAfter(page, content, () => open(page)), INSTANT_MS)
      await page.context().close()
    }
  })
})

/** Opens a page in a new profile, and waits until it is drawn and requests nothing more. */
async function load(name: string) {
  const { path, isShown } = pages.find((page) => page.name === name)!
  const page = await ui.open('/ok', { size: DESKTOP }) // loads nothing of the UI
  const wire = await measureWire(page, async () => {
    await page.goto(ui.server.url + path)
    await isShown(page)
  })
  return { page, wire }
}

function expectWithinGoal({ requests, bytes, answers }: Awaited<ReturnType<typeof measureWire>>) {
  const list = [...answers].map(([url, size]) => `${(size / 1000).toFixed(1)} kB ${new URL(url).pathname}`).join('\n')
  expect(requests, list).toBeLessThanOrEqual(WIRE_GOAL.requests)
  expect(bytes, list).toBeLessThanOrEqual(WIRE_GOAL.bytes)
}

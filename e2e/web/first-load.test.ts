import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noteFigure } from '../support/budgets.ts'
import { paintedAfter } from '../support/pace.ts'
import { DESKTOP, expectSound, startUi, type Ui } from '../support/start-ui.ts'
import { measureWire, seedFullWorkspace, WIRE_GOAL } from '../support/wire.ts'

/** A shorter wait goes unnoticed. */
const INSTANT_MS = 100

let ui: Ui
let projectPath: string
beforeAll(async () => {
  ui = await startUi()
  projectPath = `/o/${ui.tenant}/projects/p/${await seedFullWorkspace(ui.server.url)}`
})
afterAll(() => ui?.stop())

describe('a page in a browser without a cache', () => {
  it('is few requests and bytes: Home, with content in every card', async () => {
    const { page, wire } = await load(`/o/${ui.tenant}`, async (page) => {
      await page.getByRole('img', { name: /^Activity of docs-assistant/ }).waitFor()
      for (const card of ['Failed traces', 'Slowest traces', 'Waiting for review', 'Last experiments']) {
        await page.getByRole('region', { name: card }).getByRole('link').first().waitFor()
      }
      await page.getByRole('region', { name: 'Get started' }).getByText('of 5').waitFor()
    })
    expectWithinGoal(wire)
    await expectSound(page)
  })

  it('is few requests and bytes: the runs of a project', async () => {
    const { page, wire } = await load(projectPath, async (page) => {
      await page.locator('[data-row]').first().waitFor()
      await page.getByRole('slider', { name: /^Traces over time/ }).waitFor()
    })
    expectWithinGoal(wire)
    await expectSound(page)
  })
})

describe('the first click on what loads its code when it is approached', () => {
  it('opens a menu on Home', async () => {
    const { page } = await load(`/o/${ui.tenant}`, (page) => page.getByRole('rowheader').first().waitFor())
    const ms = await paintedAfter(page, '[role=menuitemradio]', () =>
      page.getByRole('button', { name: 'Theme' }).click(),
    )
    noteFigure('31', 'first click → menu', ms, INSTANT_MS)
    await expectSound(page)
  })

  it('opens the columns, the views and the preview of a list', async () => {
    const row = (page: Page) => page.locator('[data-row]').first()
    const openings: [string, string, (page: Page) => Promise<unknown>][] = [
      ['columns', '[aria-label="Shown columns"]', (page) => page.getByRole('button', { name: 'Columns' }).click()],
      ['views', '[aria-label="Name of a new view"]', (page) => page.getByRole('button', { name: 'Views' }).click()],
      ['preview', '[aria-label=Run] [role=tablist]', (page) => row(page).click()],
      ['palette', '[cmdk-input]', (page) => page.getByRole('button', { name: 'Search or jump' }).click()],
    ]
    for (const [what, content, open] of openings) {
      const { page } = await load(projectPath, (page) => row(page).waitFor())
      noteFigure('31', `first click → ${what}`, await paintedAfter(page, content, () => open(page)), INSTANT_MS)
      await page.context().close()
    }
  })
})

async function load(path: string, content: (page: Page) => Promise<unknown>) {
  const page = await ui.open('/ok', { size: DESKTOP }) // loads nothing of the UI
  const wire = await measureWire(page, async () => {
    await page.goto(ui.server.url + path)
    await content(page)
  })
  return { page, wire }
}

function expectWithinGoal({ requests, bytes, answers }: Awaited<ReturnType<typeof measureWire>>) {
  const list = [...answers].map(([url, size]) => `${(size / 1000).toFixed(1)} kB ${new URL(url).pathname}`).join('\n')
  expect(requests, list).toBeLessThanOrEqual(WIRE_GOAL.requests)
  expect(bytes, list).toBeLessThanOrEqual(WIRE_GOAL.bytes)
}

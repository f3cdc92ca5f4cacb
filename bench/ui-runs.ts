/// <reference lib="dom" />
/**
 * `npm run bench ui-runs [runs] [rounds]`: the list of runs in a headless Chromium against the built server, over
 * synthetic runs created inside the engine (the store of `npm run bench read`). Milliseconds. @default 1000000, 5
 */
import type { Page } from 'playwright-core'
import { startUi, type Ui } from '../e2e/support/start-ui.ts'
import { projectIdOf } from '../e2e/support/trace-writer.ts'
import { percentile, printTable } from './support/figures.ts'
import { seededStore } from './support/seeded-store.ts'

const count = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.argv[3] ?? 5)
const ui = await startUi({ dataDir: await seededStore(count), timeoutMs: 300_000 })
try {
  const list = `/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, 'bench')}`
  const rows: [string, number, number][] = []
  for (const [name, measure] of Object.entries(STEPS())) rows.push([name, ...(await measured(ui, list, measure))])
  printTable([`runs list, ${count.toLocaleString('en-US')} runs`, 'median ms', 'worst ms'], rows)
} finally {
  await ui.stop()
}

type Measure = (page: Page, list: string) => Promise<number>

/** User interactions, each measured from the action to its visible result. */
function STEPS(): Record<string, Measure> {
  const withFilter = (filter: string, rest = '') => `?t=all&filter=${encodeURIComponent(filter)}${rest}`
  return {
    'project clicked → first row': async (page) => {
      await page.goto(`${ui.server.url}/o/${ui.tenant}/projects`)
      const link = page.getByRole('link', { name: 'bench', exact: true })
      await link.waitFor()
      await page.waitForTimeout(300)
      return until(page, () => link.click(), '[data-row]')
    },
    'all runs, not only roots': async (page, list) => {
      await opened(page, `${list}?t=30d`)
      return until(
        page,
        () => page.getByRole('radio', { name: 'Runs' }).click(),
        '[role=grid][aria-label=Runs] [data-row]',
      )
    },
    'metadata chip → rows': (page, list) => filtered(page, list, 'metadata.user:u7'),
    'text → rows': (page, list) => filtered(page, list, '"rare777"'),
    'any run of the trace failed → rows': (page, list) => filtered(page, list, 'any.is:error'),
    'histogram drawn': (page, list) =>
      until(
        page,
        () => page.goto(ui.server.url + list + withFilter('eq(status, "error")', '&scope=runs')),
        '[role=slider] g',
      ),
    'facets counted': (page, list) =>
      until(page, () => page.goto(`${ui.server.url}${list}?t=30d&facets=1`), '[aria-label=Facets] section'),
    '500 rows down, one opened, Back → the same row': async (page, list) => {
      await opened(page, `${list}?t=30d`)
      for (let row = 25; row <= 500; row += 25) {
        await page.getByRole('grid').evaluate((grid, at) => grid.scrollTo({ top: at * 28 }), row)
        await page.locator(`[aria-rowindex="${row + 2}"]`).waitFor()
      }
      const row = page.locator('[aria-rowindex="505"]')
      const id = await row.getAttribute('data-row')
      await row.click()
      await page.getByRole('complementary', { name: 'Run' }).waitFor()
      await page.keyboard.press('o')
      await page.waitForURL('**/r/**')
      await page.waitForTimeout(500)
      return until(page, () => page.goBack(), `[data-row="${id}"][data-active]`)
    },
  }
}

async function measured(from: Ui, list: string, measure: Measure): Promise<[number, number]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const page = await from.open('/login')
    times.push(await measure(page, list))
    await page.context().close()
  }
  return [percentile(times, 0.5), Math.max(...times)]
}

async function filtered(page: Page, list: string, typed: string): Promise<number> {
  await opened(page, `${list}?t=30d`)
  const field = page.getByRole('combobox', { name: 'Add a filter' })
  await field.fill(typed)
  return until(
    page,
    () => field.press('Enter'),
    '[role=grid][aria-rowcount], [role=heading]',
    async () => {
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null)
    },
  )
}

async function opened(page: Page, path: string): Promise<void> {
  await page.goto(ui.server.url + path)
  await page.locator('[data-row]').first().waitFor()
  await page.waitForTimeout(300)
}

async function until(
  page: Page,
  act: () => Promise<unknown>,
  selector: string,
  settled: () => Promise<unknown> = async () => {},
): Promise<number> {
  const began = performance.now()
  await act()
  await page.locator(selector).first().waitFor({ state: 'attached' })
  await settled()
  return performance.now() - began
}

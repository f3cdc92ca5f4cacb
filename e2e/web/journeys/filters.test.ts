import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noteFigure } from '../../support/budgets.ts'
import { paintedAfter } from '../../support/pace.ts'
import { expectQuietConsole, getConsoleMessages } from '../../support/start-ui.ts'
import { type BigProject, startBigProject } from './big-project.ts'

const PATIENT = 900_000
const NESTED = 'or(eq(name, "call_model"), and(eq(name, "search"), not(eq(status, "error"))))'

let big: BigProject
beforeAll(async () => {
  big = await startBigProject()
}, PATIENT)
afterAll(() => big?.stop())

const field = (page: Page) => page.getByRole('combobox', { name: 'Add filter' })
const text = (page: Page) => page.getByRole('textbox', { name: 'This run' })
const chip = (page: Page, label: string) =>
  page.getByRole('region', { name: 'Filter' }).getByRole('button', { name: label, exact: true })
const chips = (page: Page) => page.locator('[data-chip]').allTextContents()
const filterOf = (page: Page) => new URL(page.url()).searchParams.get('filter')
const rows = (page: Page) =>
  page.locator('[data-row]').evaluateAll((all) => all.slice(0, 10).map((row) => row.getAttribute('data-row')))

describe('journey 5: a filter over a big project', () => {
  it(
    'works as chips, as text and as a link',
    async () => {
      const page = await big.open(`${big.path}?live=off`)
      await page.locator('[data-row]').first().waitFor()
      await page.getByRole('radio', { name: 'Runs', exact: true }).click()
      await page.getByRole('grid', { name: 'Runs' }).getByText('search').first().waitFor()

      // Chips, with the form.
      await page.getByRole('button', { name: 'Add condition' }).click()
      const form = page.getByRole('dialog', { name: 'Add condition' })
      await form.getByRole('option', { name: /^search/ }).click()
      await form.getByRole('button', { name: 'Apply' }).click()
      await chip(page, 'name is search').waitFor()

      // Typed.
      await field(page).fill('is:error latency:>5s')
      const painted = await paintedAfter(page, 'li:nth-child(3) [data-chip]', () => field(page).press('Enter'))
      noteFigure('5', 'typed filter → its chips', painted, 50)
      await chip(page, 'latency > 5s').waitFor()
      expect(filterOf(page)).toBe('and(eq(name, "search"), eq(status, "error"), gt(latency, 5))')
      await page.getByText('RateLimitError: 429').first().waitFor()

      // The expression.
      await page.getByRole('button', { name: 'Edit as text' }).click()
      await text(page).fill(NESTED)
      await page.keyboard.press('Enter')
      await chip(page, 'name is call_model or (name is search and not status is error)').waitFor()
      expect(filterOf(page)).toBe(NESTED)
      await settled(page)

      // Another user with the link.
      await page.keyboard.press('Escape')
      await page.locator('[data-row]').first().waitFor()
      const colleague = await big.open(page.url().replace(big.server.url, ''))
      await settled(colleague)
      expect(await chips(colleague)).toEqual(await chips(page))
      expect(await rows(colleague)).toEqual(await rows(page))
      expect(await rows(colleague)).toHaveLength(10)
      await colleague.context().close()
      expectQuietConsole(page)
    },
    PATIENT,
  )

  it(
    'with a mistake marks its position, and keeps the rows',
    async () => {
      const page = await big.open(`${big.path}?live=off`)
      await settled(page)
      const before = await rows(page)
      await field(page).fill('type:chain latency:>soon')
      await field(page).press('Enter')
      await page.getByText(/^Found "soon", expected seconds/).waitFor()
      await page.getByRole('button', { name: 'Edit as text' }).click()
      await text(page).fill('and(eq(run_type, "chain"), gt(latency, 1)')
      await page.getByText(/^Invalid filter at character 42: found the end of the filter/).waitFor()
      await text(page).press('Enter')
      expect(filterOf(page)).toBeNull()
      expect(await rows(page)).toEqual(before)
      expect(getConsoleMessages(page)).toEqual([])
    },
    PATIENT,
  )
})

/** Waits until rows of the new filter are shown. */
async function settled(page: Page) {
  await page.locator('[data-row]').nth(9).waitFor()
  await expect.poll(() => page.locator('[aria-busy=true]').count(), { timeout: 60_000 }).toBe(0)
}

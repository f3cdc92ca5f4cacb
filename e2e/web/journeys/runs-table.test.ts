import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noteFigure } from '../../support/budgets.ts'
import { FRAME_MS, paceWhile, paintedAfter } from '../../support/pace.ts'
import { expectQuietConsole } from '../../support/start-ui.ts'
import { type BigProject, startBigProject } from './big-project.ts'

const DOWN = 500
/** The text of a trace header after all runs are loaded. */
const WHOLE = /^(\d+) \/ \1 runs?$/
const PATIENT = 900_000

let big: BigProject
beforeAll(async () => {
  big = await startBigProject()
}, PATIENT)
afterAll(() => big?.stop())

const list = (page: Page) => page.getByRole('grid', { name: 'Traces' })
const rowAt = (page: Page, index: number) => page.locator(`[aria-rowindex="${index + 2}"]`)
const peek = (page: Page) => page.getByRole('complementary', { name: 'Run' })
const idOf = (row: ReturnType<typeof rowAt>) => row.getAttribute('data-row')

describe('journey 4: the runs of a big project', () => {
  it(
    'are opened and scrolled, and Back restores the row',
    async () => {
      const page = await big.open('/projects')
      const name = page.getByRole('link', { name: 'big', exact: true })
      await name.waitFor()
      await name.hover()
      noteFigure('4', 'project clicked → first row', await paintedAfter(page, ROW, () => name.click()), 300)

      const { frameP95, longestTask } = await paceWhile(page, () => wheelTo(page, DOWN))
      noteFigure('4', `${DOWN} rows scrolled, frame p95`, frameP95, FRAME_MS)
      noteFigure('4', `${DOWN} rows scrolled, longest task`, longestTask, 50)

      const row = rowAt(page, DOWN)
      const id = await idOf(row)
      await row.getByText('answer').click()
      await peek(page).waitFor()
      const before = await row.boundingBox()
      await peek(page).getByRole('link', { name: 'Open trace' }).click()
      await page.waitForURL(`**/r/${id}**`)
      await page.getByText(WHOLE).waitFor()

      const back = await paintedAfter(page, `[data-row="${id}"]`, () => page.goBack())
      noteFigure('4', 'Back → the same row', back, 100)
      await expectSamePlace(page, id, before?.y)
      expectQuietConsole(page)
    },
    PATIENT,
  )

  it(
    'are navigated by keyboard',
    async () => {
      const page = await big.open('/projects')
      await page.getByRole('link', { name: 'big', exact: true }).waitFor()
      const project = page.locator('[data-row][data-active]').getByRole('link', { name: 'big', exact: true })
      for (let row = 0; row < 3 && (await project.count()) === 0; row++) await page.keyboard.press('j')
      noteFigure('4 keys', 'Enter → first row', await paintedAfter(page, ROW, () => page.keyboard.press('Enter')), 300)

      const active = page.locator(`${ROW}[data-active]`)
      const toTheEnd = async () => {
        await page.keyboard.press('End')
        return indexOf(active)
      }
      await expect.poll(toTheEnd, { timeout: 60_000 }).toBeGreaterThan(DOWN)
      await page.keyboard.press('k')
      const id = await idOf(active)
      await page.keyboard.press('Enter')
      await peek(page).waitFor()
      const before = await active.boundingBox()
      await page.keyboard.press('o')
      await page.waitForURL(`**/r/${id}**`)
      await page.getByText(WHOLE).waitFor()
      await page.goBack()
      await expectSamePlace(page, id, before?.y)
      await page.keyboard.press('j')
      await expect.poll(() => idOf(active)).not.toBe(id)
      expectQuietConsole(page)
    },
    PATIENT,
  )
})

/** Turns the wheel slowly until a row is in view. */
async function wheelTo(page: Page, index: number) {
  await list(page).hover()
  while ((await rowAt(page, index).count()) === 0) await page.mouse.wheel(0, 280)
  await rowAt(page, index).scrollIntoViewIfNeeded()
}

async function indexOf(row: ReturnType<typeof rowAt>): Promise<number> {
  return Number(await row.getAttribute('aria-rowindex')) - 2
}

async function expectSamePlace(page: Page, id: string | null, y: number | undefined) {
  const row = page.locator(`[data-row="${id}"]`)
  await row.waitFor()
  await expect.poll(async () => (await row.boundingBox())?.y).toBe(y)
  expect(await row.getAttribute('data-active')).not.toBeNull()
}

const ROW = '[role=grid][aria-label=Traces] [data-row]'

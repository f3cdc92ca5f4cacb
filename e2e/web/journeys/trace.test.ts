import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noteFigure } from '../../support/budgets.ts'
import { FRAME_MS, openedIn, paceWhile } from '../../support/pace.ts'
import { SCALE } from '../../support/scale.ts'
import { expectQuietConsole, startUi, type Ui } from '../../support/start-ui.ts'
import { projectIdOf, writeLargeTrace } from '../../support/trace-writer.ts'

const PATIENT = 600_000

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui?.stop())

const tree = (page: Page) => page.getByRole('tree', { name: 'Runs of the trace' })
const selected = (page: Page) => tree(page).locator('[aria-selected=true]')
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search runs' })
const details = (page: Page) => page.getByRole('region', { name: 'Run details' })
const z = (page: Page) => new URL(page.url()).searchParams.get('z')

describe.each(SCALE.traces)('journey 6: a trace of %i runs', (size) => {
  const all = size.toLocaleString('en-US')
  let path: string
  beforeAll(async () => {
    const root = await writeLargeTrace(ui.server.url, `journey ${size}`, size)
    path = `/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, `journey ${size}`)}/r/${root.id}`
  }, PATIENT)

  it(
    'is searched for an error, zoomed and navigated',
    async () => {
      const note = (what: string, ms: number, budgetMs: number) => noteFigure(`6, ${all} runs`, what, ms, budgetMs)
      const page = await ui.open('/projects')
      const opened = await openedIn(page, ui.server.url + path, ROW, '/runs/columns')
      if (size === 10_000) note('its outline read → painted', opened.afterAnswer, 500)
      else note('opened', opened.inAll, 2_000)
      await page.getByText(`${all} / ${all} runs`).waitFor()

      const step = tree(page).getByRole('treeitem').filter({ hasText: 'step 11' }).first()
      await step.locator('[data-caret]').click()
      await expect.poll(() => step.getAttribute('aria-expanded')).toBe('false')
      await step.locator('[data-caret]').click()
      await expect.poll(() => step.getAttribute('aria-expanded')).toBe('true')

      await search(page).fill('boom 5982')
      await page.getByText(`1 of ${all}`).waitFor()
      await search(page).press('Enter')
      await selected(page).getByText('Boom 5982').waitFor()
      await page.getByRole('button', { name: 'Clear the search' }).click()

      await page.keyboard.press('e')
      await selected(page).getByText('Boom 6979').waitFor()
      await expectInView(page)
      await page.keyboard.press('z')
      await expect.poll(() => z(page)).toMatch(/^69[78]\d/)
      await expectInView(page)

      const walk = await paceWhile(page, async () => {
        for (let i = 0; i < 30; i++) await page.keyboard.press(i < 15 ? 'j' : 'ArrowDown')
      })
      note('walked, frame p95', walk.frameP95, FRAME_MS)
      const zoom = await paceWhile(page, async () => {
        for (let i = 0; i < 12; i++) await page.keyboard.press(i < 6 ? 's' : 'w')
      })
      note('zoomed, frame p95', zoom.frameP95, FRAME_MS)
      await expectInView(page)
      await expectDetailsOfSelected(page)
      const scroll = await paceWhile(page, async () => {
        await tree(page).hover()
        for (let i = 0; i < 40; i++) await page.mouse.wheel(0, 600)
      })
      note('scrolled, frame p95', scroll.frameP95, FRAME_MS)
      note('scrolled, longest task', scroll.longestTask, 50)
      expect(await tree(page).getByRole('treeitem').count()).toBeLessThanOrEqual(80)
      expectQuietConsole(page)
    },
    PATIENT,
  )

  it(
    'works the same way by keyboard',
    async () => {
      const page = await ui.open(path)
      await tree(page).waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('boom 5982')
      await page.getByText(`1 of ${all}`).waitFor()
      await page.keyboard.press('Enter')
      await selected(page).getByText('Boom 5982').waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('e')
      await selected(page).getByText('Boom 6979').waitFor()
      await expectInView(page)
      await page.keyboard.press('u')
      await selected(page)
        .getByText(/^step 69/)
        .waitFor()
      await page.keyboard.press('z')
      await expect.poll(() => z(page)).toMatch(/^69/)
      await page.keyboard.press('Shift+Digit3')
      await page.getByRole('group', { name: 'Flame chart' }).waitFor()
      for (let i = 0; i < 30; i++) {
        await page.keyboard.press('Tab')
        if (await page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Flame chart')) break
      }
      await page.keyboard.press('ArrowDown')
      await details(page)
        .getByRole('heading', { name: /^(ChatModel|tool \d)$/ })
        .waitFor()
      await page.keyboard.press('0')
      await expect.poll(() => z(page)).toBeNull()
      await page.keyboard.press('Shift+Digit2')
      await expectInView(page)
    },
    PATIENT,
  )

  it(
    'keeps the indent in a pane of 320 px',
    async () => {
      const page = await ui.open('/login')
      await page.evaluate(() => localStorage.setItem('touchstone.trace-panel-percent', '73'))
      await page.goto(ui.server.url + path)
      await tree(page).waitFor()
      expect((await tree(page).boundingBox())!.width).toBeLessThan(340)
      const names = ['agent_loop', 'step 1', 'ChatModel']
      const places = await Promise.all(
        names.map((name) => tree(page).getByRole('treeitem').getByText(name, { exact: true }).first().boundingBox()),
      )
      const [first, second, third] = places.map((place) => place!.x)
      expect(second! - first!).toBe(12)
      expect(third! - second!).toBe(12)
      for (const place of places) expect(place!.width).toBeGreaterThan(25)
      expectQuietConsole(page)
    },
    PATIENT,
  )
})

async function expectInView(page: Page): Promise<void> {
  const isInView = () =>
    selected(page).evaluate((row) => {
      const box = row.closest('[role=tree]')!.getBoundingClientRect()
      const { top, bottom } = row.getBoundingClientRect()
      return top >= box.top - 1 && bottom <= box.bottom + 1
    })
  await expect.poll(isInView).toBe(true)
}

/** Waits until the panel shows the selected run. Before that it shows the previous run, dimmed. */
async function expectDetailsOfSelected(page: Page): Promise<void> {
  const isThere = async () => {
    const heading = (await details(page).getByRole('heading').first().textContent()) ?? ''
    const name = heading.replace(/^Root run /, '')
    return (await selected(page).getByText(name, { exact: true }).count()) === 1
  }
  await expect.poll(isThere, { timeout: 60_000 }).toBe(true)
}

const ROW = '[role=tree] [role=treeitem]'

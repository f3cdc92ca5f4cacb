import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound, startUi, type Ui } from '../support/start-ui.ts'
import { projectIdOf, type WrittenRun, writeLargeTrace } from '../support/trace-writer.ts'

let ui: Ui
let root: WrittenRun
let path: string
beforeAll(async () => {
  ui = await startUi()
  root = await writeLargeTrace(ui.server.url, 'journey', 10_000)
  path = `/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, 'journey')}/r/${root.id}`
})
afterAll(() => ui?.stop())

const tree = (page: Page) => page.getByRole('tree', { name: 'Runs of the trace' })
const selected = (page: Page) => tree(page).locator('[aria-selected=true]')
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search runs' })
const details = (page: Page) => page.getByRole('region', { name: 'Run details' })
const z = (page: Page) => new URL(page.url()).searchParams.get('z')

describe('a journey through a trace of 10,000 runs', () => {
  it.each(['light', 'dark'] as const)('finds an error, zooms to it and walks on, in %s', async (theme) => {
    const page = await ui.open(path, { theme })
    await page.getByText('10,000 / 10,000 runs').waitFor()

    const step = tree(page).getByRole('treeitem').filter({ hasText: 'step 11' }).first()
    await step.locator('[data-caret]').click()
    await expect.poll(() => step.getAttribute('aria-expanded')).toBe('false')
    await step.locator('[data-caret]').click()
    await expect.poll(() => step.getAttribute('aria-expanded')).toBe('true')

    await search(page).fill('boom 3988')
    await page.getByText('1 of 10,000').waitFor()
    await search(page).press('Enter')
    await selected(page).getByText('Boom 3988').waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).click()

    await page.keyboard.press('e')
    await selected(page).getByText('Boom 4985').waitFor()
    await expectInView(page)
    await page.keyboard.press('z')
    await expect.poll(() => z(page)).toMatch(/^498\d/)
    await expectInView(page)

    const frames = await framesWhile(page, async () => {
      for (let i = 0; i < 30; i++) await page.keyboard.press('j')
      for (let i = 0; i < 12; i++) await page.keyboard.press(i < 6 ? 's' : 'w')
    })
    const p95 = frames.sort((a, b) => a - b)[Math.floor(frames.length * 0.95)]!
    console.log(`walking and zooming 10,000 runs, ${theme}: p95 of ${frames.length} frames ${p95.toFixed(1)} ms`)
    await expectInView(page)
    await expectDetailsOfSelected(page)
    expect(await tree(page).getByRole('treeitem').count()).toBeLessThanOrEqual(80)
    await expectSound(page)
  })

  it('goes the same way by keys alone', async () => {
    const page = await ui.open(path)
    await tree(page).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('boom 3988')
    await page.getByText('1 of 10,000').waitFor()
    await page.keyboard.press('Enter')
    await selected(page).getByText('Boom 3988').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('e')
    await selected(page).getByText('Boom 4985').waitFor()
    await expectInView(page)
    await page.keyboard.press('u')
    await selected(page)
      .getByText(/^step 49/)
      .waitFor()
    await page.keyboard.press('z')
    await expect.poll(() => z(page)).toMatch(/^49/)
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
  })

  it('keeps the indent in a pane of 320 px', async () => {
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
    await expectSound(page)
  })
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

/** The panel has caught up with the list: until then it shows the run before, dimmed. */
async function expectDetailsOfSelected(page: Page): Promise<void> {
  const isThere = async () => {
    const heading = (await details(page).getByRole('heading').first().textContent()) ?? ''
    return (await selected(page).getByText(heading, { exact: true }).count()) === 1
  }
  await expect.poll(isThere, { timeout: 60_000 }).toBe(true)
}

/** Milliseconds between frames while something is done. */
async function framesWhile(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const seen = window as unknown as { frames: number[]; recording: boolean }
    Object.assign(seen, { frames: [], recording: true })
    let last = performance.now()
    requestAnimationFrame(function look(now) {
      seen.frames.push(now - last)
      last = now
      if (seen.recording) requestAnimationFrame(look)
    })
  })
  await act()
  return page.evaluate(() => {
    const seen = window as unknown as { frames: number[]; recording: boolean }
    seen.recording = false
    return seen.frames.slice(1)
  })
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SeededTrace, seedTraces, startRun } from '../support/seed-traces.ts'
import { expectSound, PHONE, startUi, type Ui } from '../support/start-ui.ts'

describe('the runs of a project', () => {
  let ui: Ui
  let seeded: SeededTrace[]
  // Ten minutes old, so that runs of a test are the latest.
  const newestMs = Date.now() - 600_000
  let path: string
  beforeAll(async () => {
    ui = await startUi()
    seeded = await seedTraces({ url: ui.server.url, project: 'support-bot', traces: 400, newestMs })
    path = await pathOf(ui, 'support-bot')
  })
  afterAll(() => ui?.stop())
  const rowOf = (page: Page, at: number) => page.locator(`[data-row="${seeded[at]!.id}"]`)

  it('loads older pages while scrolling, and Back restores the row and its position', async () => {
    const page = await ui.open(path)
    await rowOf(page, 0).waitFor()
    for (const target of [49, 99, 149, 199, 219]) await scrollTo(page, target)
    const row = rowOf(page, 210)
    await row.waitFor()
    await row.click()
    await page.getByRole('complementary', { name: 'Run' }).waitFor()
    const before = await row.boundingBox()

    await page.keyboard.press('o')
    await page.waitForURL(`**/r/${seeded[210]!.id}**`)
    await page.goBack()
    await row.waitFor()

    expect((await row.boundingBox())?.y).toBe(before?.y)
    expect(await row.getAttribute('data-active')).not.toBeNull()
    await expectSound(page)
  })

  it.each(['light', 'dark'] as const)('shows new runs at once at the top, in %s', async (theme) => {
    const page = await ui.open(path, { theme })
    await rowOf(page, 0).waitFor()
    const run = await startRun({ url: ui.server.url, project: 'support-bot', name: 'fresh run' })

    const row = page.locator(`[data-row="${run.id}"]`)
    await row.waitFor()
    expect(await row.getByText('Running').count()).toBe(1)
    await run.finish()
    await row.getByText('done').waitFor()
    expect(await row.getByText('Running').count()).toBe(0)
    await expectSound(page)
  })

  it.each(['light', 'dark'] as const)(
    'counts new runs in a button while the list is scrolled, without moving rows, in %s',
    async (theme) => {
      const page = await ui.open(path, { theme })
      await rowOf(page, 0).waitFor()
      await scrollTo(page, 30)
      const row = rowOf(page, 30)
      await row.getByRole('checkbox').check()
      const before = await row.boundingBox()

      await seedTraces({ url: ui.server.url, project: 'support-bot', traces: 3, apartMs: 10 })
      await page.getByRole('button', { name: '3 new' }).waitFor()
      await expectSound(page)

      expect(await row.boundingBox()).toEqual(before)
      expect(await row.getByRole('checkbox').isChecked()).toBe(true)
      await page.getByRole('button', { name: '3 new' }).click()
      await page.getByRole('button', { name: '3 new' }).waitFor({ state: 'detached' })
      await page.getByText('1 selected').waitFor()
      expect(await page.getByRole('grid').evaluate((grid) => grid.scrollTop)).toBe(0)
    },
  )

  it('restores its scroll position after a reload', async () => {
    const page = await ui.open(`${path}?live=off`)
    await rowOf(page, 0).waitFor()
    for (const target of [49, 99, 120]) await scrollTo(page, target)
    const before = await page.getByRole('grid').evaluate((grid) => grid.scrollTop)
    await page.reload()
    await rowOf(page, 120).waitFor()
    expect(await page.getByRole('grid').evaluate((grid) => grid.scrollTop)).toBe(before)
  })

  it('shows in the status bar that new runs cannot be loaded, keeps the rows, and recovers by itself', async () => {
    const page = await ui.open(path)
    await rowOf(page, 0).waitFor()
    const before = await rowOf(page, 0).boundingBox()
    await page.route('**/runs/query', (route) => route.abort())
    await page.getByText('Live updates failed. Retrying…').waitFor()
    expect(await rowOf(page, 0).boundingBox()).toEqual(before)
    await page.unroute('**/runs/query')
    await page.getByText('Live updates failed. Retrying…').waitFor({ state: 'detached' })
  })

  it('is navigated by keyboard: j, Space, J, Escape', async () => {
    const page = await ui.open(`${path}?live=off`)
    await page.getByRole('grid', { name: 'Traces' }).waitFor()
    await page.locator('[data-row]').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const active = page.locator('[data-row][data-active]')
    const second = await active.getAttribute('data-row')
    await page.keyboard.press('Space')
    await page.getByRole('complementary', { name: 'Run' }).waitFor()
    expect(new URL(page.url()).searchParams.get('peek')).toBe(second)

    await page.keyboard.press('Shift+J')
    await expect.poll(() => new URL(page.url()).searchParams.get('peek')).not.toBe(second)
    await page.keyboard.press('Escape')
    await page.getByRole('complementary', { name: 'Run' }).waitFor({ state: 'detached' })
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
  })

  it('keeps the view in the URL, and ignores invalid parameters', async () => {
    const page = await ui.open(`${path}?scope=everything&t=8x`)
    await page.getByRole('grid', { name: 'Traces' }).waitFor()

    await page.getByRole('radio', { name: 'Runs' }).click()
    await page.getByRole('combobox', { name: 'Add filter' }).fill('type:llm')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('filter') === 'eq(run_type, "llm")')
    await page.getByRole('grid', { name: 'Runs' }).getByText('ChatModel').first().waitFor()
    await page.goBack()
    await page.waitForURL('**?scope=runs')
    await page.getByRole('grid', { name: 'Runs' }).getByText('search_kb').first().waitFor()
  })

  it('shows and orders columns', async () => {
    const page = await ui.open(`${path}?cols=name,latency,model`)
    await page.locator('[data-row]').first().waitFor()
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Selected', 'Name', 'Latency', 'Model'])
    await page.keyboard.press('c')
    await page.getByRole('button', { name: 'Move Model up' }).click()
    await page.waitForURL('**?cols=name,model,latency')
    await page.getByRole('checkbox', { name: 'Tags' }).check()
    await page.waitForURL('**?cols=name,model,latency,tags')
  })

  it('sorts loaded runs by a figure, and loads more on request', async () => {
    const page = await ui.open(`${path}?cols=name,latency,tokens`)
    await rowOf(page, 0).waitFor()
    const latencies = async () =>
      (
        await page
          .locator('[data-row]')
          .getByRole('gridcell')
          .filter({ hasText: /^[\d.]+ m?s$/ })
          .allTextContents()
      ).map((text) => Number.parseFloat(text) * (text.endsWith(' ms') ? 1 : 1000))
    await page.getByRole('button', { name: 'Latency' }).click()
    await page.waitForURL('**&sort=-latency')
    await page.getByText('Only loaded rows sorted').waitFor()
    await expect.poll(async () => isFalling(await latencies())).toBe(true)
    const loaded = await page.getByRole('status').filter({ hasText: 'rows' }).first().textContent()
    await page.keyboard.press('End')
    await page.getByRole('button', { name: 'Load more' }).click()
    await expect.poll(() => page.getByRole('status').filter({ hasText: 'rows' }).first().textContent()).not.toBe(loaded)
    await page.getByRole('button', { name: 'Latency' }).click()
    await page.waitForURL('**&sort=latency')
    await page.getByRole('button', { name: 'Latency' }).click()
    await page.waitForURL((url) => !url.searchParams.has('sort'))
  })

  it('keeps column widths and pinned columns, by pointer and by keys', async () => {
    const page = await ui.open(`${path}?cols=name,input,output,latency`)
    await rowOf(page, 0).waitFor()
    const head = page.getByRole('columnheader', { name: 'Output / error' })
    const widthOf = async () => Math.round((await head.boundingBox())!.width)
    const edge = page.getByRole('separator', { name: 'Width of Output / error' })
    const { x, y } = (await edge.boundingBox())!
    const before = await widthOf()
    await page.mouse.move(x + 4, y + 10)
    await page.mouse.down()
    await page.mouse.move(x - 96, y + 10, { steps: 4 })
    await page.mouse.up()
    await expect.poll(widthOf).toBe(before - 100)
    await page.reload()
    await rowOf(page, 0).waitFor()
    expect(await widthOf()).toBe(before - 100)
    await edge.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(widthOf).toBe(before - 84)
    await page.keyboard.press('Delete')
    await expect.poll(widthOf).toBe(before)

    await page.keyboard.press('c')
    await page.getByRole('button', { name: 'Pin Latency' }).click()
    await page.keyboard.press('Escape')
    await expect
      .poll(() => page.getByRole('columnheader').allTextContents())
      .toEqual(['Selected', 'Name', 'Latency', 'Input', 'Output / error'])
  })

  it('explains why no runs are shown, and how to see them', async () => {
    const page = await ui.open(`${path}?t=..2020-01-01T00:00:00.000Z`)
    await page.getByRole('heading', { name: 'No runs match this view' }).waitFor()
    await page.getByRole('button', { name: 'All time' }).click()
    await rowOf(page, 0).waitFor()
  })

  it('shows a failure with a retry', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('row', { name: /support-bot/ }).waitFor()
    await page.route('**/runs/query', (route) =>
      route.fulfill({ status: 400, headers: { 'x-request-id': 'req-1' }, json: { detail: 'no such luck' } }),
    )
    await page.getByRole('link', { name: 'support-bot', exact: true }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('HTTP 400 · request req-1').waitFor()
    await page.unroute('**/runs/query')
    await alert.getByRole('button', { name: 'Retry' }).click()
    await rowOf(page, 0).waitFor()
  })

  it.each(['light', 'dark'] as const)('is accessible with and without a preview in %s', async (theme) => {
    // A dozen rows, because axe checks every cell.
    const page = await ui.open(`${path}?t=${new Date(newestMs - 11 * 60_000).toISOString()}..`, { theme })
    await page.locator('[data-row]').first().waitFor()
    await expectSound(page)
    await page.locator('[data-row]').nth(3).click()
    await page.getByRole('complementary', { name: 'Run' }).getByRole('tab').first().waitFor()
    await expectSound(page)
  })

  it('is a list of cards on a phone; a tap opens the run', async () => {
    const page = await ui.open(path, { size: PHONE })
    await page.getByText('question', { exact: false }).first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    await expectSound(page)
    await page.locator('[data-row]').first().click()
    await page.waitForURL('**/r/**')
  })

  it('selects several runs by touch on a phone', async () => {
    const page = await ui.open(path, { size: PHONE, theme: 'dark' })
    const finger = { pointerType: 'touch', pointerId: 7, isPrimary: true, clientX: 100, clientY: 300 }
    await rowOf(page, 1).dispatchEvent('pointerdown', finger)
    await page.getByText('1 selected').waitFor()
    await rowOf(page, 1).dispatchEvent('pointerup', finger)
    await rowOf(page, 1).dispatchEvent('click')
    await rowOf(page, 2).click()
    await page.getByText('2 selected').waitFor()
    expect(await rowOf(page, 2).getByRole('checkbox').isChecked()).toBe(true)
    await expectSound(page)
    await page.getByRole('button', { name: 'Select several' }).click()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await rowOf(page, 2).click()
    await page.waitForURL('**/r/**')
  })
})

function isFalling(values: readonly number[]): boolean {
  return values.length > 1 && values.every((value, at) => at === 0 || value <= values[at - 1]!)
}

type Page = Awaited<ReturnType<Ui['open']>>

async function pathOf(ui: Ui, name: string): Promise<string> {
  const found = (await (await fetch(`${ui.server.url}/api/v1/sessions?name=${name}`)).json()) as { id: string }[]
  return `/o/${ui.tenant}/projects/p/${found[0]!.id}`
}

/** Scrolls a row to the top and waits until it is rendered. */
async function scrollTo(page: Page, index: number) {
  await expect
    .poll(async () => {
      await page.getByRole('grid').evaluate((grid, at) => grid.scrollTo({ top: at * 28 }), index)
      return page.locator(`[aria-rowindex="${index + 2}"]`).count()
    })
    .toBe(1)
}

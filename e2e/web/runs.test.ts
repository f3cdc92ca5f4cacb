import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { type SeededTrace, seedTraces, startRun } from '../support/seed-traces.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

describe('the runs of a project', () => {
  let ui: Ui
  let seeded: SeededTrace[]
  // Ten minutes old, so that runs of a test are the latest.
  const newestMs = Date.now() - 600_000
  let path: string
  beforeAll(async () => {
    ui = await openWorkspace()
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
    expectQuietConsole(page)
  })

  it('shows new runs at once at the top', async () => {
    const page = await ui.open(path)
    await rowOf(page, 0).waitFor()
    const run = await startRun({ url: ui.server.url, project: 'support-bot', name: 'fresh run' })

    const row = page.locator(`[data-row="${run.id}"]`)
    await row.waitFor()
    expect(await row.getByText('Running').count()).toBe(1)
    await run.finish()
    await row.getByText('done').waitFor()
    expect(await row.getByText('Running').count()).toBe(0)
    expectQuietConsole(page)
  })

  it('counts new runs in a button while the list is scrolled, without moving rows', async () => {
    const page = await ui.open(path)
    await rowOf(page, 0).waitFor()
    await scrollTo(page, 30)
    const row = rowOf(page, 30)
    await row.getByRole('checkbox').check()
    const before = await row.boundingBox()

    await seedTraces({ url: ui.server.url, project: 'support-bot', traces: 3, apartMs: 10 })
    await page.getByRole('button', { name: '3 new' }).waitFor()
    await expectAccessibleInThemes(page, 'new runs above a scrolled list')
    expectQuietConsole(page)

    expect(await row.boundingBox()).toEqual(before)
    expect(await row.getByRole('checkbox').isChecked()).toBe(true)
    await page.getByRole('button', { name: '3 new' }).click()
    await page.getByRole('button', { name: '3 new' }).waitFor({ state: 'detached' })
    await page.getByText('1 selected').waitFor()
    expect(await page.getByRole('grid').evaluate((grid) => grid.scrollTop)).toBe(0)
  })

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
    await expect.poll(() => new URL(page.url()).searchParams.get('peek')).toBe(second)

    await page.keyboard.press('Shift+J')
    await expect.poll(() => new URL(page.url()).searchParams.get('peek')).not.toBe(second)
    await page.keyboard.press('Escape')
    await page.getByRole('complementary', { name: 'Run' }).waitFor({ state: 'detached' })
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
  })

  it('marks the row of a preview that is opened by its address, and scrolls to it', async () => {
    async function expectMarked(peek: string) {
      const page = await ui.open(`${path}?live=off&peek=${peek}`)
      await expect.poll(() => rowOf(page, 40).getAttribute('data-active')).not.toBeNull()
      const [grid, row] = [await page.getByRole('grid').boundingBox(), await rowOf(page, 40).boundingBox()]
      expect(row!.y).toBeGreaterThan(grid!.y)
      expect(row!.y + row!.height).toBeLessThanOrEqual(grid!.y + grid!.height)
      return page
    }
    const page = await expectMarked(seeded[40]!.id)
    await page.getByRole('tree').getByRole('treeitem').nth(1).click()
    const getPeek = () => new URL(page.url()).searchParams.get('peek')
    await expect.poll(getPeek).not.toBe(seeded[40]!.id)
    // Another run of the trace, in a list of traces.
    await expectMarked(getPeek()!)
    expectQuietConsole(page)
  })

  it('shows the trace of a run in its preview, and other runs of it', async () => {
    const page = await ui.open(`${path}?live=off`)
    await rowOf(page, 0).click()
    const preview = page.getByRole('complementary', { name: 'Run' })
    const tree = preview.getByRole('tree', { name: /^Trace of \d+ runs$/ })
    await tree.getByRole('treeitem', { selected: true }).waitFor()
    await tree.focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => new URL(page.url()).searchParams.get('peek')).not.toBe(seeded[0]!.id)
    await expect.poll(() => rowOf(page, 0).getAttribute('data-active')).not.toBeNull()
    const grid = (await page.getByRole('grid').boundingBox())!
    for (const name of ['Name', 'Output / error', 'Latency']) await expectWithin(page, name, grid)
    await page.keyboard.press('Shift+J')
    await expect.poll(() => new URL(page.url()).searchParams.get('peek')).toBe(seeded[1]!.id)
    // While the other run loads, the panel shows the former one dimmed.
    await preview.getByTitle(seeded[1]!.id).waitFor()
    await tree.getByRole('treeitem', { selected: true }).waitFor()
    expectQuietConsole(page)
  })

  it.each(['', '?facets=1'])('shows tokens and cost in a narrow window, with the search "%s"', async (search) => {
    const page = await ui.open(`${path}${search}`, { size: { width: 1024, height: 768 } })
    await rowOf(page, 0).waitFor()
    const grid = (await page.getByRole('grid').boundingBox())!
    for (const name of ['Name', 'Start', 'Tokens', 'Cost']) await expectWithin(page, name, grid)
    // The whole cell is the button.
    await page.getByRole('columnheader', { name: 'Cost' }).click({ position: { x: 4, y: 4 } })
    await page.waitForURL('**sort=-cost**')
  })

  it('selects all loaded rows by the box in the header', async () => {
    const page = await ui.open(`${path}?live=off`)
    await rowOf(page, 0).getByRole('checkbox').check()
    const all = page.getByRole('checkbox', { name: 'Select all loaded rows' })
    expect(await all.evaluate((box: HTMLInputElement) => box.indeterminate)).toBe(true)
    await all.check()
    await page.getByText(/^(50|150) selected$/).waitFor()
    await all.uncheck()
    await page.getByRole('region', { name: 'Selected runs' }).waitFor({ state: 'detached' })
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
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['', 'Name', 'Latency', 'Model'])
    await page.keyboard.press('c')
    await page.getByRole('button', { name: 'Move Model up' }).click()
    await page.waitForURL('**?cols=name,model,latency')
    await page.getByRole('checkbox', { name: 'Tags' }).check()
    await page.waitForURL('**?cols=name,model,latency,tags')
  })

  it('sorts all runs of the range by a figure, and loads more pages in that order', async () => {
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
    await page.getByText('All matching runs by latency, highest first').waitFor()
    await page.getByText('Live paused').waitFor()
    await expect.poll(async () => isFalling(await latencies())).toBe(true)
    const loaded = await page.getByRole('status').filter({ hasText: 'rows' }).first().textContent()
    await page.locator('[data-row]').first().focus()
    await page.keyboard.press('End')
    await expect.poll(() => page.getByRole('status').filter({ hasText: 'rows' }).first().textContent()).not.toBe(loaded)
    await expect.poll(async () => isFalling(await latencies())).toBe(true)
    await page.getByRole('button', { name: 'Latency' }).click()
    await page.waitForURL('**&sort=latency')
    await page.getByText('All matching runs by latency, lowest first').waitFor()
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
      .toEqual(['', 'Name', 'Latency', 'Input', 'Output / error'])
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

  it('is a list of cards on a phone; a tap opens the run', async () => {
    const page = await ui.open(path, { size: PHONE })
    await page.getByText('question', { exact: false }).first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
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
    await expectAccessibleInThemes(page, 'selected runs on a phone')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Select several' }).click()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await rowOf(page, 2).click()
    await page.waitForURL('**/r/**')
  })
})

function isFalling(values: readonly number[]): boolean {
  return values.length > 1 && values.every((value, at) => at === 0 || value <= values[at - 1]!)
}

/** The header of a column lies within a box. */
async function expectWithin(page: Page, name: string, box: { x: number; width: number }) {
  const header = page.getByRole('columnheader').filter({ hasText: new RegExp(`^${name}$`) })
  const isWithin = async () => {
    const found = await header.boundingBox()
    return found !== null && found.x >= box.x && found.x + found.width <= box.x + box.width + 1
  }
  await expect.poll(isWithin, { message: name }).toBe(true)
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

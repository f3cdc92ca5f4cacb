import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noteFigure } from '../../support/budgets.ts'
import { actOnRow, jsonTree } from '../../support/json-tree.ts'
import { paceWhile, paintedAfter } from '../../support/pace.ts'
import { expectQuietConsole, startUi, type Ui } from '../../support/start-ui.ts'
import { projectIdOf, TraceWriter, type WrittenRun } from '../../support/trace-writer.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui?.stop())

const open = async (run: WrittenRun, search: string) =>
  ui.open(`/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, 'huge')}/r/${run.id}${search}`)
describe('journey 7: a payload of 20 MB', () => {
  let root: WrittenRun
  beforeAll(async () => {
    const writer = new TraceWriter(ui.server.url, 'huge')
    const item = { tags: ['red', 'green'], nested: { text: 'x'.repeat(180) } }
    const items = Array.from({ length: 80_000 }, (_, i) => ({ i, ...item }))
    root = writer.add({ name: 'huge_payload', inputs: { items }, outputs: { id: 'needle' } })
    await writer.send()
  })

  it('opens, is searched, and creates a link to a value', async () => {
    const page = await open(root, '?tab=metadata')
    await page.getByRole('heading', { name: 'No metadata' }).waitFor()
    const rows = await paintedAfter(page, ROWS, () => page.keyboard.press('2'))
    noteFigure('7', 'JSON of 20 MB opened → rows', rows, 300)

    await page.getByRole('searchbox', { name: 'Search inputs and outputs' }).focus()
    const hit = await paintedAfter(page, '[role=status]', () => page.keyboard.insertText('needle'), '1 hit')
    noteFigure('7', 'typed → first hit', hit, 500)
    await page.keyboard.press('Enter')
    await jsonTree(page).locator('[aria-selected=true]').getByText('needle').waitFor()

    const trace = page.getByRole('searchbox', { name: 'Search runs' })
    const typing = await paceWhile(page, async () => {
      await trace.pressSequentially('huge', { delay: 20 })
      await trace.fill('')
    })
    noteFigure('7', 'typing elsewhere, longest task', typing.longestTask, 50)

    await jsonTree(page).focus()
    await page.keyboard.press('Control+Shift+C')
    await page.getByText('Path copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('$.outputs.id')
    await actOnRow(page, 'needle', 'Copy link to the value')
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(new URL(link).searchParams.get('path')).toBe('outputs.id')
    expectQuietConsole(page)
  })

  it('shows and highlights the value of a link at any position', async () => {
    const page = await open(root, '?tab=io&path=inputs.items[71234].nested.text')
    const value = jsonTree(page).locator('[aria-selected=true]')
    await value.getByText('text').waitFor()
    expect(await value.getAttribute('class')).toContain('animate-flash')
    const box = (await jsonTree(page).boundingBox())!
    const { y } = (await value.boundingBox())!
    expect(y).toBeGreaterThan(box.y)
    expect(y).toBeLessThan(box.y + box.height)
  })
})

const ROWS = '[role=tree][aria-label="inputs and outputs"] [role=treeitem]'

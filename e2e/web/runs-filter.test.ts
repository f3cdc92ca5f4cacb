import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedTraces } from '../support/seed-traces.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { projectIdOf } from '../support/trace-writer.ts'

type Page = Awaited<ReturnType<Ui['open']>>

const NESTED = 'or(eq(name, "rag_chain"), and(eq(name, "support_agent"), not(eq(status, "error"))))'

describe('filters of the runs of a project', () => {
  let ui: Ui
  let path: string
  beforeAll(async () => {
    ui = await openWorkspace()
    const { url } = ui.server
    // 120 traces over two hours, the latest ten minutes old. Every tenth fails.
    await seedTraces({ url, project: 'filters', traces: 120, newestMs: Date.now() - 600_000 })
    path = `/o/${ui.tenant}/projects/p/${await projectIdOf(url, 'filters')}`
  })
  afterAll(() => ui?.stop())

  it('are edited as chips, as typed text and as the expression of the API', async () => {
    const page = await openList(ui, path)
    await type(page, 'is:error latency:>1s')
    await chip(page, 'status is error').waitFor()
    await chip(page, 'latency > 1s').waitFor()
    expect(filterOf(page)).toBe('and(eq(status, "error"), gt(latency, 1))')
    await counted(page, 11)

    // By the form of a chip.
    await chip(page, 'latency > 1s').click()
    const form = page.getByRole('dialog', { name: 'Edit condition' })
    await form.getByRole('combobox', { name: 'Value' }).fill('4s')
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL((url) => url.searchParams.get('filter') === 'and(eq(status, "error"), gt(latency, 4))')

    // By the expression.
    await page.getByRole('button', { name: 'Edit as text' }).click()
    await page.getByRole('textbox', { name: 'This run' }).fill(NESTED)
    await page.getByRole('textbox', { name: 'This run' }).press('Enter')
    await chip(page, 'name is rag_chain or (name is support_agent and not status is error)').waitFor()
    expect(filterOf(page)).toBe(NESTED)
    await page.goBack()
    await chip(page, 'latency > 4s').waitFor()
    expectQuietConsole(page)
  })

  it('show the same chips and rows from a link, including nested conditions', async () => {
    const page = await openList(ui, path)
    await type(page, NESTED)
    await type(page, 'any.type:retriever metadata.env:prod')
    await page.getByRole('button', { name: 'Remove metadata env is prod', exact: true }).click()
    await type(page, 'root.name:rag_*')
    await expect.poll(() => new URL(page.url()).searchParams.get('traceFilter')).toBe('like(name, "rag_%")')
    await expect.poll(() => new URL(page.url()).searchParams.get('treeFilter')).toBe('eq(run_type, "retriever")')
    await counted(page, 40)

    const colleague = await ui.open(page.url().replace(ui.server.url, ''))
    await counted(colleague, 40)
    expect(await chips(colleague)).toEqual(await chips(page))
    expect(await firstRows(colleague)).toEqual(await firstRows(page))
    await colleague.context().close()
  })

  it('mark the position of a mistake, and keep the rows', async () => {
    const page = await openList(ui, path)
    const before = await firstRows(page)
    await type(page, 'type:chain latency:>soon')
    await page.getByText(/^Found "soon", expected seconds/).waitFor()
    expect(await page.getByRole('combobox', { name: 'Add filter' }).getAttribute('aria-invalid')).toBe('true')

    await page.getByRole('button', { name: 'Edit as text' }).click()
    const text = page.getByRole('textbox', { name: 'This run' })
    await text.fill('and(eq(run_type, "chain"), gt(latency, 1)')
    await page.getByText(/^Invalid filter at character 42: found the end of the filter/).waitFor()
    await text.press('Enter')
    expect(filterOf(page)).toBeNull()
    expect(await firstRows(page)).toEqual(before)

    // An expression that only the server can check is sent unchanged. When it is refused, the rows stay.
    await text.fill('and(eq(run_type, "chain"), fuzzy(name,"rag"))')
    await text.press('Enter')
    await page.getByRole('alert').getByText('Invalid filter at character 28').waitFor()
    await chip(page, 'custom: fuzzy(name,"rag")').waitFor()
    expect(filterOf(page)).toBe('and(eq(run_type, "chain"), fuzzy(name,"rag"))')
    expect(await firstRows(page)).toEqual(before)
    await page.getByRole('button', { name: 'Remove fuzzy(name,"rag")', exact: true }).click()
    await expect.poll(() => filterOf(page)).toBe('eq(run_type, "chain")')
    await counted(page, 120)
  })

  it('offer to stop a slow search, and keep the rows meanwhile', async () => {
    const page = await openList(ui, path)
    const before = await firstRows(page)
    await page.route('**/runs/query', () => {})
    await type(page, 'is:error')
    await page.getByText('Still loading runs.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Search canceled.').waitFor()
    expect(await firstRows(page)).toEqual(before)
    await page.unroute('**/runs/query')
    await page.getByRole('button', { name: 'Search again' }).click()
    await counted(page, 12)
  })

  it('suggest fields, and values with their counts', async () => {
    const page = await openList(ui, path)
    await page.keyboard.press('/')
    await page.keyboard.type('na')
    await page.getByRole('option', { name: /^name/ }).waitFor()
    await page.keyboard.press('Tab')
    const option = page.getByRole('option', { name: /^support_agent/ })
    await option.waitFor()
    expect(await option.textContent()).toBe('support_agent40')
    await option.click()
    await chip(page, 'name is support_agent').waitFor()
    await counted(page, 40)
  })

  it('are built by pointer from a suggested value', async () => {
    const page = await openList(ui, path)
    await page.getByRole('button', { name: 'Add condition' }).click()
    const form = page.getByRole('dialog', { name: 'Add condition' })
    await form.getByRole('option', { name: /^rag_chain/ }).click()
    await form.getByRole('button', { name: 'Apply' }).click()
    await chip(page, 'name is rag_chain').waitFor()
  })

  it('are built, navigated and removed by keyboard', async () => {
    const page = await openList(ui, path)
    await page.keyboard.press('f')
    const form = page.getByRole('dialog', { name: 'Add condition' })
    await form.getByRole('option', { name: /^answer_question/ }).waitFor()
    await page.keyboard.type('answer_question')
    await page.keyboard.press('Enter')
    await chip(page, 'name is answer_question').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('is:error')
    await page.keyboard.press('Enter')
    await chip(page, 'status is error').waitFor()
    await page.keyboard.press('Backspace')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('status is error')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Delete')
    await expect.poll(() => filterOf(page)).toBe('eq(status, "error")')
  })

  it('explain an empty list, with the number of runs for each suggestion', async () => {
    const page = await ui.open(`${path}?filter=${encodeURIComponent('and(eq(name, "rag_chain"), gt(latency, 100))')}`)
    await page.getByRole('heading', { name: 'No runs match this view' }).waitFor()
    await page.getByRole('button', { name: 'Without latency > 100s 40' }).click()
    await counted(page, 40)
    expect(filterOf(page)).toBe('eq(name, "rag_chain")')
  })

  it('are added from facets by a click and excluded by Alt-click', async () => {
    const page = await openList(ui, `${path}?facets=1`)
    const facets = page.getByRole('complementary', { name: 'Facets' })
    await facets
      .getByRole('region', { name: 'Name' })
      .getByRole('button', { name: /^support_agent/ })
      .click()
    await counted(page, 40)
    const status = facets.getByRole('region', { name: 'Status' }).getByRole('button', { name: /^error/ })
    await status.click({ modifiers: ['Alt'] })
    await chip(page, 'status is not error').waitFor()
    await counted(page, 36)
    expect(filterOf(page)).toBe('and(eq(name, "support_agent"), neq(status, "error"))')
    expectQuietConsole(page)
  })

  it('narrow the time range by dragging across the histogram, and Back restores it', async () => {
    const page = await openList(ui, `${path}?t=3h`)
    await counted(page, 120)
    const histogram = page.getByRole('slider', { name: /^Traces over time: 120/ })
    const box = (await histogram.boundingBox())!
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.75, box.y + 20, { steps: 3 })
    await page.mouse.up()
    await page.waitForURL((url) => (url.searchParams.get('t') ?? '').includes('..'))
    await expect.poll(() => countOf(page)).toBeLessThan(120)
    expect(await countOf(page)).toBeGreaterThan(30)
    await page.goBack()
    await counted(page, 120)
    await page.keyboard.press('t')
    await page.getByRole('textbox', { name: 'Time range as text' }).fill('last 30 minutes')
    await page.keyboard.press('Enter')
    await page.waitForURL('**?t=30m')
  })

  it('are saved as a view, marked when edited, and reset; a link shows the same runs', async () => {
    const page = await openList(ui, path)
    const name = 'Failures'
    await type(page, 'is:error')
    await page.keyboard.press('Escape')
    await page.keyboard.press('v')
    await page.getByRole('textbox', { name: 'Name of a new view' }).fill(name)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `View: ${name}`, exact: true }).waitFor()

    await type(page, 'name:rag_chain')
    await page.getByRole('button', { name: `View: ${name}, edited` }).waitFor()
    const colleague = await ui.open(page.url().replace(ui.server.url, ''))
    await colleague.getByRole('button', { name: `View: ${name}, edited` }).waitFor()
    expect(await chips(colleague)).toEqual(['status is error', 'name is rag_chain'])
    await colleague.reload()
    await colleague.getByRole('button', { name: `View: ${name}, edited` }).click()
    await colleague.getByRole('button', { name: 'Reset' }).click()
    await colleague.getByRole('button', { name: `View: ${name}`, exact: true }).waitFor()
    expect(await chips(colleague)).toEqual(['status is error'])
    expectQuietConsole(colleague)
    await colleague.context().close()
  })

  it('allow columns of payload values', async () => {
    const page = await openList(ui, `${path}?cols=name,json:inputs.question,latency`)
    await page.getByText('question 0', { exact: true }).waitFor()
    await page.keyboard.press('c')
    await page.getByRole('searchbox', { name: /^Find a column/ }).fill('outputs.answer')
    await page.keyboard.press('Enter')
    await page.waitForURL(
      (url) => url.searchParams.get('cols') === 'name,json:inputs.question,latency,json:outputs.answer',
    )
    await page.getByText('answer 0', { exact: true }).waitFor()
  })

  it('count only matching new runs', async () => {
    const page = await openList(ui, `${path}?filter=${encodeURIComponent('eq(name, "rag_chain")')}`)
    await counted(page, 40)
    await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ top: 300 }))
    const { url } = ui.server
    await seedTraces({ url, project: 'filters', traces: 6, apartMs: 10 })
    await page.getByRole('button', { name: '2 new' }).waitFor()
    await seedTraces({ url, project: 'filters', traces: 6, apartMs: 10 })
    await page.getByRole('button', { name: '4 new' }).waitFor()
  })

  it('fit on a phone', async () => {
    const page = await ui.open(`${path}?filter=${encodeURIComponent(NESTED)}`, { size: PHONE })
    await page.locator('[data-row]').first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'Value' }).waitFor()
    expectQuietConsole(page)
  })
})

async function openList(ui: Ui, path: string): Promise<Page> {
  const page = await ui.open(path)
  await page.locator('[data-row]').first().waitFor()
  return page
}

async function type(page: Page, text: string) {
  const field = page.getByRole('combobox', { name: 'Add filter' })
  await field.fill(text)
  await field.press('Enter')
}

function chip(page: Page, text: string) {
  return page.getByRole('region', { name: 'Filter' }).getByRole('button', { name: text, exact: true })
}

function chips(page: Page): Promise<string[]> {
  return page.locator('[data-chip]').allTextContents()
}

function filterOf(page: Page): string | null {
  return new URL(page.url()).searchParams.get('filter')
}

function firstRows(page: Page): Promise<(string | null)[]> {
  return page.locator('[data-row]').evaluateAll((rows) => rows.slice(0, 10).map((row) => row.getAttribute('data-row')))
}

/** Total number of rows in the status bar. */
async function countOf(page: Page): Promise<number> {
  const text = await page.getByRole('contentinfo').getByRole('status').first().textContent()
  return Number(/([\d,]+) rows?$/.exec(text ?? '')?.[1]?.replaceAll(',', ''))
}

async function counted(page: Page, count: number) {
  await expect.poll(() => countOf(page)).toBe(count)
}

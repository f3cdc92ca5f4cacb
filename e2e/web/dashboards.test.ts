import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseOption } from '../support/choose-option.ts'
import { seedTraces } from '../support/seed-traces.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { projectIdOf } from '../support/trace-writer.ts'

/** Saving is a request, which can be slow on a busy machine. */
const SLOW = { timeout: 10_000 }

describe('dashboards', () => {
  let ui: Ui
  let path: string
  let other: string
  beforeAll(async () => {
    ui = await openWorkspace()
    await seedTraces({ url: ui.server.url, project: 'watched', traces: 60 })
    await seedTraces({ url: ui.server.url, project: 'another', traces: 3 })
    const at = async (project: string) =>
      `/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, project)}/monitor`
    path = `${await at('watched')}?t=24h`
    other = `${await at('another')}?t=24h`
  })
  afterAll(() => ui?.stop())

  type Page = Awaited<ReturnType<Ui['open']>>
  const titles = (page: Page) => page.locator('[data-chart] h2').allTextContents()
  async function create(page: Page, name: string, place: 'project' | 'workspace' = 'project') {
    await page.getByRole('button', { name: 'Dashboard: Monitor' }).click()
    await page.getByRole('menuitem', { name: /^New dashboard/ }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    const places = { project: 'This project', workspace: 'All projects of the workspace' }
    await chooseOption(page.getByLabel('Available in'), places[place])
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL('**board=**')
    await page.getByRole('button', { name: `Dashboard: ${name}` }).waitFor()
  }
  /** The charts stored on the server, in order. */
  async function kept(page: Page): Promise<string[]> {
    const id = new URL(page.url()).searchParams.get('board')
    const answer = await fetch(`${ui.server.url}/api/v1/dashboards/${id}`)
    const { charts } = (await answer.json()) as { charts: { id: string; title?: string }[] }
    return charts.map((chart) => chart.title ?? chart.id)
  }

  it('start with the visible charts and accept new charts', async () => {
    const page = await ui.open(path)
    await create(page, 'On call')
    await page.getByRole('button', { name: 'Add chart' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add chart' })
    await chooseOption(dialog.getByLabel('Metric'), 'Tokens')
    await chooseOption(dialog.getByLabel('Group by'), 'Model')
    await chooseOption(dialog.getByLabel('Scope'), 'All runs')
    await dialog.getByLabel('Filter').fill('eq(run_type, "llm"')
    await dialog.getByRole('alert').waitFor()
    expect(await dialog.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true)
    expectQuietConsole(page)
    await dialog.getByLabel('Filter').fill('eq(run_type, "llm")')
    await dialog.getByLabel('Title').fill('Models')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()

    const chart = page.getByRole('region', { name: 'Models' })
    await chart.scrollIntoViewIfNeeded()
    await chart.getByRole('button', { name: 'gpt-4o-mini', exact: true }).waitFor()
    await expect.poll(() => kept(page), SLOW).toContain('Models')
    expectQuietConsole(page)
  })

  it('are reordered with the arrow keys and by dragging, and keep the order', async () => {
    const page = await ui.open(path)
    await create(page, 'In order')
    await page.getByRole('button', { name: 'Move Latency with the arrow keys' }).focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => titles(page).then((all) => all.slice(0, 2)), SLOW).toEqual(['Latency', 'Volume'])
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => kept(page).then((all) => all.slice(0, 3)), SLOW).toEqual(['runs', 'error_rate', 'latency'])
    await page.getByText('Latency is now 3 of 7').waitFor({ state: 'attached' })

    const grip = (await page.getByRole('button', { name: 'Move Cost with the arrow keys' }).boundingBox())!
    const target = (await page.getByRole('region', { name: 'Volume', exact: true }).boundingBox())!
    await page.mouse.move(grip.x + 8, grip.y + 8)
    await page.mouse.down()
    await page.mouse.move(target.x + 60, target.y + 60, { steps: 10 })
    await page.mouse.up()
    await expect.poll(() => kept(page).then((all) => all[0]), SLOW).toBe('cost')
    await page.reload()
    await page.getByRole('region', { name: 'Cost', exact: true }).waitFor()
    expect((await titles(page))[0]).toBe('Cost')
  })

  it('start empty if asked, and count threads', async () => {
    const page = await ui.open(path)
    await page.getByRole('button', { name: 'Dashboard: Monitor' }).click()
    await page.getByRole('menuitem', { name: /^New dashboard/ }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('From nothing')
    await chooseOption(page.getByLabel('Start with'), 'No charts')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'No charts yet' }).waitFor()
    await page.getByRole('region', { name: 'Charts' }).getByRole('button', { name: 'Add chart' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add chart' })
    await chooseOption(dialog.getByLabel('Metric'), 'Threads')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page
      .getByRole('region', { name: 'Threads', exact: true })
      .getByText('threads', { exact: true })
      .first()
      .waitFor()
  })

  it('remove a chart and undo it, are renamed, and are deleted', async () => {
    const page = await ui.open(path)
    await create(page, 'Draft')
    const tokens = page.getByRole('region', { name: 'Tokens', exact: true })
    await tokens.waitFor()
    await page.getByRole('button', { name: 'Remove Tokens' }).click()
    await tokens.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await tokens.waitFor()
    await expect.poll(() => kept(page), SLOW).toContain('tokens')
    await page.getByRole('button', { name: 'Remove Cost' }).click()
    await expect.poll(() => kept(page), SLOW).not.toContain('cost')

    await page.getByRole('button', { name: 'Dashboard: Draft' }).click()
    await page.getByRole('menuitem', { name: 'Rename…' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Final')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('button', { name: 'Dashboard: Final' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Dashboard: Monitor' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.has('board')).toBe(false)
  })

  it('of the workspace are available in every project, and show a taken name in the form', async () => {
    const page = await ui.open(path)
    await create(page, 'Everywhere', 'workspace')
    const there = await ui.open(other)
    await there.getByRole('button', { name: 'Dashboard: Monitor' }).click()
    await there.getByRole('menuitemradio', { name: 'Everywhere (workspace)' }).click()
    await there.getByRole('region', { name: 'Volume', exact: true }).waitFor()

    await page.getByRole('button', { name: 'Dashboard: Everywhere' }).click()
    await page.getByRole('menuitem', { name: /^New dashboard/ }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Everywhere')
    await chooseOption(page.getByLabel('Available in'), 'All projects of the workspace')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('A dashboard named "Everywhere" already exists.').waitFor()
  })

  it('save a change on top of a concurrent one, and show its charts', async () => {
    const page = await ui.open(path)
    await create(page, 'Shared')
    const id = new URL(page.url()).searchParams.get('board')
    const charts = [{ id: 'only', metric: 'latency', title: 'The only one' }]
    const answer = await fetch(`${ui.server.url}/api/v1/dashboards/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ charts }),
    })
    expect(answer.status).toBe(200)
    await page.getByRole('button', { name: 'Remove Tokens' }).click()
    await page.getByText('Tokens removed').waitFor(SLOW)
    expect(await page.getByText('Could not save the dashboard').count()).toBe(0)
    await page.getByRole('region', { name: 'The only one' }).waitFor()
    expect(await titles(page)).toEqual(['The only one'])
  })

  it('fit a phone', async () => {
    const page = await ui.open(path, { size: PHONE })
    await create(page, 'Small')
    await page.getByRole('region', { name: 'Volume', exact: true }).getByRole('img').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })
})

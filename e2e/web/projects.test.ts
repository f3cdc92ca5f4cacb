import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedTraces } from '../support/seed-traces.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

describe('the projects page', () => {
  let ui: Ui
  beforeAll(async () => {
    ui = await openWorkspace()
    await seedTraces({ url: ui.server.url, project: 'support-bot', traces: 20 })
    await seedTraces({ url: ui.server.url, project: 'rag-golden', traces: 5 })
  })
  afterAll(() => ui?.stop())

  it('shows each project with its figures, also without the workspace in the URL', async () => {
    const page = await ui.open('/projects')
    await page.waitForURL(`**/o/${ui.tenant}/projects`)

    const row = page.getByRole('row', { name: /support-bot/ })
    await row.getByRole('link', { name: 'Traces of support-bot' }).filter({ hasText: '20' }).waitFor()
    expect(await row.getByRole('link', { name: 'Errors of support-bot' }).textContent()).toBe('10 %')
    expect(await row.getByRole('link', { name: 'Tokens of support-bot' }).textContent()).toBe('24.0k')
    expectQuietConsole(page)
  })

  it('links the error rate to the failed runs', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('link', { name: 'Errors of support-bot' }).click()

    await page.getByRole('grid', { name: 'Traces' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toBe('neq(error, null)')
    await page.getByText('2 rows').waitFor()
    expect(await page.getByText('RateLimitError: 429').count()).toBe(2)
  })

  it('sorts by a column and searches by name, and keeps both in the URL', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('link', { name: 'Traces of support-bot' }).waitFor()
    await page.getByRole('button', { name: 'Traces' }).click()
    await page.waitForURL('**/projects?sort=-runs')
    await page.locator('[aria-sort=descending]', { hasText: 'Traces' }).waitFor()
    await expect.poll(() => firstNames(page, 2)).toEqual(['support-bot', 'rag-golden'])
    await page.getByRole('button', { name: 'Traces' }).click()
    await page.waitForURL('**/projects?sort=runs')

    await page.keyboard.press('/')
    await page.keyboard.type('golden')
    await page.getByText('1 of 3 projects').waitFor()
    await page.waitForURL((url) => url.searchParams.get('q') === 'golden')
    await page.reload()
    await page.getByText('1 of 3 projects').waitFor()
  })

  it('creates, renames with F2, and deletes a project after its name is typed', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('short-lived')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
    await page.goBack()

    await page.getByRole('row', { name: /short-lived/ }).focus()
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await activate(page, 'short-lived')
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'Name' }).fill('renamed')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /renamed/ }).waitFor()

    await page.getByRole('button', { name: 'Actions of renamed' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const remove = page.getByRole('button', { name: 'Delete project' })
    expect(await remove.isDisabled()).toBe(true)
    await page.getByLabel('Type renamed to confirm').fill('renamed')
    expectQuietConsole(page)
    await remove.click()
    await page.getByText('Deleted renamed').waitFor()
    await page.getByRole('row', { name: /renamed/ }).waitFor({ state: 'detached' })
  })

  it('shows volume and feedback with links, and keeps pinned projects on top', async () => {
    const [newest] = await newestOf(ui, 'rag-golden')
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ run_id: newest!.id, key: 'correctness', score: 0.5 })
    await fetch(`${ui.server.url}/api/v1/feedback`, { method: 'POST', headers, body })
    const page = await ui.open('/projects?sort=-runs', { theme: 'dark' })
    await page.getByRole('img', { name: /^Activity of support-bot: 20 traces/ }).waitFor()
    await expect.poll(() => firstNames(page, 2)).toEqual(['support-bot', 'rag-golden'])
    await page.getByRole('button', { name: 'Pin rag-golden' }).click()
    await expect.poll(() => firstNames(page, 2)).toEqual(['rag-golden', 'support-bot'])
    await page.reload()
    await expect.poll(() => firstNames(page, 2)).toEqual(['rag-golden', 'support-bot'])
    expectQuietConsole(page)
    await page.getByRole('link', { name: 'correctness 0.50' }).click()
    await page.getByRole('grid', { name: 'Traces' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toBe('eq(feedback_key, "correctness")')
  })

  it('deletes several projects after their number is typed', async () => {
    for (const name of ['one', 'two']) {
      await seedTraces({ url: ui.server.url, project: `doomed-${name}`, traces: 1 })
    }
    const page = await ui.open('/projects')
    await page.getByRole('checkbox', { name: 'Select doomed-one' }).check()
    await page.getByRole('checkbox', { name: 'Select doomed-two' }).check()
    await page.getByRole('button', { name: 'Delete 2…' }).click()
    await page.getByLabel('Type 2 to confirm').fill('2')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Delete projects' }).click()
    await page.getByText('Deleted 2 projects').waitFor()
    await page
      .getByRole('row', { name: /doomed/ })
      .first()
      .waitFor({ state: 'detached' })
  })

  it('shows a taken name at its field', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('support-bot')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('alert').getByText('HTTP 409').waitFor()
  })

  it('is a list of cards on a phone, also in the dark theme', async () => {
    const page = await ui.open('/projects', { size: PHONE, theme: 'dark' })
    await page.getByText('20 traces').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
    expectQuietConsole(page)
  })
})

type Page = Awaited<ReturnType<Ui['open']>>

async function firstNames(page: Page, count: number) {
  const rows = await page.locator('[data-row]').all()
  return Promise.all(rows.slice(0, count).map(async (row) => row.getByRole('link').first().textContent()))
}

async function newestOf(ui: Ui, name: string): Promise<{ id: string }[]> {
  const { url } = ui.server
  const [project] = await (await fetch(`${url}/api/v1/sessions?name=${name}`)).json()
  const body = JSON.stringify({ session: [project.id], is_root: true, select: ['id'], limit: 1 })
  const headers = { 'content-type': 'application/json' }
  return (await (await fetch(`${url}/api/v1/runs/query`, { method: 'POST', headers, body })).json()).runs
}

/** Moves down from the top to the row of the project. */
async function activate(page: Page, name: string) {
  await page.keyboard.press('Home')
  for (let step = 0; step < 10; step++) {
    if ((await page.locator('[data-row][data-active]').textContent())?.includes(name)) return
    await page.keyboard.press('j')
  }
  throw new Error(`${name} was not reached`)
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { type SeededTrace, seedTraces } from '../support/seed-traces.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { TraceWriter } from '../support/trace-writer.ts'

const DAY_MS = 86_400_000

describe('the settings of a project', () => {
  let ui: Ui
  let old: SeededTrace[]
  beforeAll(async () => {
    ui = await openWorkspace()
    const { url } = ui.server
    old = await seedTraces({ url, project: 'support-bot', traces: 3, newestMs: Date.now() - 40 * DAY_MS })
    await seedTraces({ url, project: 'support-bot', traces: 2 })
  })
  afterAll(() => ui?.stop())

  async function idOf(name: string): Promise<string> {
    const projects = await (await fetch(`${ui.server.url}/api/v1/sessions?name=${name}`)).json()
    return projects[0]?.id
  }
  const open = async (options = {}) => ui.open(`/projects/p/${await idOf('support-bot')}/settings`, options)

  it('edit its description and metadata, in both themes and on a phone', async () => {
    const page = await open()
    await page.getByLabel('Description').fill('Answers customers.')
    await page.getByText('Description (empty) → Answers customers.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the project').waitFor()
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByLabel('Key 1', { exact: true }).fill('tier')
    await page.getByLabel('Value of tier').fill('2')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the metadata').waitFor()
    const project = await (await fetch(`${ui.server.url}/api/v1/sessions/${await idOf('support-bot')}`)).json()
    expect(project).toMatchObject({ description: 'Answers customers.', extra: { metadata: { tier: 2 } } })
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Remove tier' }).click()
    await page.getByText('tier 2 → (removed)').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('textbox', { name: 'Value of tier' }).waitFor({ state: 'detached' })
    const phone = await open({ size: PHONE, theme: 'dark' })
    await phone.getByRole('heading', { name: 'Danger zone' }).waitFor()
    await phone.getByText('No traces will be deleted.').waitFor()
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(phone)
  })

  it('set its default view, and stay open in another project', async () => {
    const projectId = await idOf('support-bot')
    const headers = { 'content-type': 'application/json' }
    const state = { filter: 'eq(run_type, "llm")', scope: 'runs' }
    const body = JSON.stringify({ name: 'Model calls', session_id: projectId, state })
    await fetch(`${ui.server.url}/api/v1/ui/views`, { method: 'POST', headers, body })
    const page = await open()
    await chooseOption(page.getByLabel('Runs list opens with'), 'Model calls')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved the default view').waitFor()
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('button', { name: 'View: Model calls' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toBe('eq(run_type, "llm")')
    await page.getByRole('button', { name: 'View: Model calls' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('button', { name: 'Remove type is llm' }).click()
    await page.waitForURL((url) => !url.searchParams.has('filter') && !url.searchParams.has('view'))

    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Monitor' }).click()
    await page.getByRole('button', { name: 'Switch project' }).click()
    await page.getByRole('searchbox', { name: 'Find a project' }).fill('default')
    await page.getByRole('dialog').getByRole('link', { name: 'default' }).click()
    await page.waitForURL(`**/p/${await idOf('default')}/monitor**`)
  })

  it('choose how messages are shown at first', async () => {
    const writer = new TraceWriter(ui.server.url, 'xml-prompts')
    const run = writer.add({
      ...{ name: 'asking', type: 'llm', inputs: { messages: [{ role: 'user', content: '<a>**b**</a>' }] } },
      outputs: { choices: [{ message: { role: 'assistant', content: 'c' } }] },
    })
    await writer.send()
    const projectId = await idOf('xml-prompts')
    const page = await ui.open(`/projects/p/${projectId}/settings`)
    await chooseOption(page.getByLabel('Show messages as'), 'Text, as recorded')
    await page.getByText('Show messages as Markdown → Text, as recorded').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved how messages are shown').waitFor()
    const project = await (await fetch(`${ui.server.url}/api/v1/sessions/${projectId}`)).json()
    expect(project.extra.touchstone.message_text).toBe('text')

    await page.goto(`${page.url().replace(/settings$/, '')}r/${run.id}?tab=chat`)
    const message = page.getByRole('article').first()
    await message.getByText('<a>**b**</a>').waitFor()
    await message.getByRole('radio', { name: 'Markdown' }).click()
    await message.locator('strong', { hasText: 'b' }).waitFor()
    expectQuietConsole(page)
  })

  it('preview what a retention removes, and remove exactly that', async () => {
    const page = await open()
    await chooseOption(page.getByLabel('Keep traces'), '30 days')
    await page.getByText('Deletes 3 traces (9 runs)').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    const confirm = page.getByRole('button', { name: 'Save and delete' })
    expect(await confirm.isDisabled()).toBe(true)
    await expectAccessibleInThemes(page, 'a retention that deletes')
    expectQuietConsole(page)
    await page.getByLabel('Type 3 to confirm').fill('3')
    await confirm.click()
    await page.getByText('Traces are kept for 30 days').waitFor()
    const left = async () => {
      const body = JSON.stringify({ session: [await idOf('support-bot')], is_root: true, select: ['id'] })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${ui.server.url}/api/v1/runs/query`, { method: 'POST', headers, body })
      return ((await answer.json()) as { runs: unknown[] }).runs.length
    }
    await expect.poll(left, { timeout: 30_000 }).toBe(2)
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.goto(`${ui.server.url}/settings/retention`)
    await page.getByRole('link', { name: 'support-bot' }).waitFor()
  })

  it('explain a link to a deleted trace', async () => {
    const page = await open()
    await page.goto(`${page.url().replace(/settings$/, '')}r/${old[0]!.id}`)
    await page.getByRole('heading', { name: 'This run was not found' }).waitFor()
    await page.getByText('keeps traces for 30 days').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Search or jump' }).click()
    await page.getByPlaceholder('Search, or paste an ID or a link').waitFor()
  })

  it('delete it after its name is typed', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Delete project' }).click()
    await page.getByLabel('Type support-bot to confirm').fill('support-bot')
    await page.getByRole('button', { name: 'Delete project' }).click()
    // It disappears by itself, so nothing is waited for before it.
    await page.getByText('Deleted support-bot').waitFor()
    await page.waitForURL('**/projects')
    await expect.poll(() => idOf('support-bot')).toBeUndefined()
  })
})

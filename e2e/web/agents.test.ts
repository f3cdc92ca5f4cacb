import { AgentAddress, Client } from '@touchstone/sdk'
import { traceable } from '@touchstone/sdk/traceable'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseOption } from '../support/choose-option.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

describe('the agents page', () => {
  let ui: Ui
  let client: Client
  beforeAll(async () => {
    ui = await openWorkspace()
    client = new Client({ apiUrl: `${ui.server.url}/api/v1` })
  })
  afterAll(() => ui?.stop())

  const sendTrace = async (id: string, environment: string) => {
    const address = new AgentAddress(id, environment)
    await traceable(async () => 'yes', { name: 'answer', client, address, tracingEnabled: true })()
    await client.flush()
    return (await client.sessions.resolve(address)).session_id
  }

  it('explains the first steps, and creates, opens and deletes an agent', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('link', { name: 'Agents' }).click()
    await page.getByRole('heading', { name: 'No agents yet' }).waitFor()
    expect(await page.getByRole('region', { name: 'Environment' }).textContent()).toContain('LANGSMITH_AGENT_ID=')
    await page.getByRole('tab', { name: 'TypeScript' }).click()
    await page.getByRole('region', { name: 'TypeScript' }).waitFor()
    expectQuietConsole(page)

    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'No agents yet' }).click()
    await page.keyboard.press('n')
    const id = page.getByRole('textbox', { name: 'ID' })
    await id.fill('My agent')
    await page.getByText('Use lower-case letters').waitFor()
    expect(await page.getByRole('button', { name: 'Create agent' }).isDisabled()).toBe(true)
    await id.fill('support')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('dialog', { name: 'Send traces to support' }).waitFor()
    expect(await page.getByRole('region', { name: 'Environment' }).textContent()).toContain('AGENT_ID=support\n')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Production of support' }).filter({ hasText: 'No traces' }).waitFor()

    const projectId = await sendTrace('support', 'production')
    await sendTrace('billing', 'local')
    await page.reload()
    await page.getByText('2 agents').waitFor()
    const row = page.getByRole('row', { name: /support/ })
    await row
      .getByRole('link', { name: 'Production of support' })
      .filter({ hasText: /^now$|ago$/ })
      .waitFor()
    await row.getByRole('button', { name: 'Actions of support' }).click()
    await page.getByRole('menuitem', { name: 'Rename…' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Support bot')
    await page.keyboard.press('Enter')

    await page.getByRole('link', { name: 'Production of Support bot' }).click()
    await page.waitForURL(`**/projects/p/${projectId}`)
    await page.getByRole('grid', { name: 'Traces' }).getByText('answer').waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Support bot / production').waitFor()
    expectQuietConsole(page)
    await page.goBack()

    await page.getByRole('button', { name: 'Actions of Support bot' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByText('their projects with all traces').waitFor()
    const remove = page.getByRole('button', { name: 'Delete agent' })
    expect(await remove.isDisabled()).toBe(true)
    await page.getByLabel('Type support to confirm').fill('support')
    await remove.click()
    await page.getByText('Deleted Support bot').waitFor()
    await page.getByText('1 agent', { exact: true }).waitFor()
    expect(await client.hasProject({ projectId })).toBe(false)
  })

  it('searches and sorts agents, keeps both in the URL, also on a phone', async () => {
    for (const id of ['alpha', 'beta']) await client.agents.create({ id })
    await sendTrace('beta', 'staging')
    const page = await ui.open(`/o/${ui.tenant}/agents`, { size: PHONE, theme: 'dark' })
    const names = () => page.getByRole('rowheader').allTextContents()
    await page
      .getByRole('link', { name: 'Staging of beta' })
      .filter({ hasText: /^now$|ago$/ })
      .waitFor()
    expect((await names())[0]).toBe('beta')
    await chooseOption(page.getByRole('combobox', { name: 'Sort by' }), 'Name')
    await page.waitForURL('**/agents?sort=name')
    await expect.poll(async () => (await names())[0]).toBe('alpha')
    await page.getByRole('searchbox', { name: 'Search agents' }).fill('BET')
    await page.getByText('1 agent', { exact: true }).waitFor()
    await expect.poll(names).toEqual(['beta'])
    expectQuietConsole(page)
    await page.getByRole('searchbox', { name: 'Search agents' }).fill('unknown')
    await page.getByRole('heading', { name: 'No matching agents' }).waitFor()
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByRole('link', { name: 'Production of alpha' }).waitFor()
  })
})

import { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { seedTraces } from '../support/seed-traces.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { step } from '../support/step.ts'
import { projectIdOf, TraceWriter } from '../support/trace-writer.ts'

let ui: Ui
let client: Client
let projectId: string
// Shared: the steps of one journey.
let page: Page

beforeAll(async () => {
  ui = await openWorkspace()
  client = new Client({ apiUrl: `${ui.server.url}/api/v1`, webUrl: ui.server.url })
  await seedTraces({ url: ui.server.url, project: 'support-bot', traces: 12 })
  projectId = await projectIdOf(ui.server.url, 'support-bot')
  const source = 'function evaluate({ outputs }) { return { key: "answered", score: outputs === null ? 0 : 1 } }'
  await client.createSavedEvaluator({ name: 'Answered', definition: { kind: 'javascript', source } })
  await client.createDataset('Collected')
  page = await ui.open(`/o/${ui.tenant}/rules`)
})
afterAll(() => ui?.stop())

/** Sends a trace of one run. @returns its id */
async function send(name: string): Promise<string> {
  const writer = new TraceWriter(ui.server.url, 'support-bot')
  const { id } = writer.add({ name, at: [0, 10], outputs: { answer: 'yes' } })
  await writer.send()
  return id
}

const button = (name: string | RegExp) => page.getByRole('button', { name })

describe('automations', () => {
  it('go from a filtered list to a rule, its decisions, a block and its cure', { timeout: 300_000 }, async () => {
    await step('an empty workspace teaches with templates', async () => {
      await page.getByRole('heading', { name: 'No rules' }).waitFor()
      await page.getByRole('link', { name: /Send failures to review/ }).click()
      await page.getByText('There is none yet: create a queue first').waitFor()
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Send failures to review')
      expectQuietConsole(page)
    })

    await step('a list of runs gives a new rule its project and filter, and its matches are counted', async () => {
      const filter = encodeURIComponent('eq(status, "success")')
      await page.goto(`${ui.server.url}/o/${ui.tenant}/projects/p/${projectId}?filter=${filter}`)
      await page.locator('[data-row]').first().waitFor()
      await button('Views').click()
      await page.getByRole('link', { name: 'Create rule on these runs' }).click()
      await page.getByText('status is success').waitFor()
      await button('Create rule').click()
      await page.getByText('Choose an evaluator.').waitFor()
      await page.getByText('Enter a name.').waitFor()
      await chooseOption(page.getByRole('combobox', { name: 'Evaluator' }), 'Answered')
      await page.getByText(/^\d+ of 12 match$/).waitFor()
      await button('Try on 10').click()
      await page.getByText(/Tried on \d+ runs?; nothing is stored/).waitFor()
      await expectAccessibleInThemes(page, 'a new rule with a try')
    })

    await step('a draft survives a reload, and actions have an order', async () => {
      await page.getByLabel('Name', { exact: true }).fill('Judge answers')
      await button('Add action').click()
      await page.getByRole('menuitem', { name: 'Add to dataset' }).click()
      await chooseOption(page.getByRole('combobox', { name: 'Dataset' }), 'Collected')
      await page.getByLabel('Quiet seconds').fill('0')
      page.once('dialog', (dialog) => void dialog.accept())
      await page.reload()
      await page.getByText('Draft restored').waitFor()
      await button('Move action 2 up').click()
      await page.getByRole('heading', { name: '1. Add to dataset' }).waitFor()
      // A filter that is typed and not applied is not left out without a word.
      const typed = page.getByRole('combobox', { name: 'Add filter' })
      await typed.fill('latency:>5s')
      await button('Create rule').click()
      await page.getByText('Press Enter to apply the filter that you typed, or clear it.').waitFor()
      await typed.fill('')
      await button('Create rule').click()
      await page.getByRole('table', { name: 'Funnel' }).waitFor()
      expect(await client.readRule((await readRule()).id)).toMatchObject({
        definition: {
          target: 'trace',
          project_ids: [projectId],
          filter: 'eq(status, "success")',
          actions: [{ kind: 'add_to_dataset' }, { kind: 'evaluate' }],
        },
      })
    })

    await step('what it did is in its log and on the run, with the conditions', async () => {
      const runId = await send('answer')
      const { id } = await readRule()
      await expect.poll(async () => (await client.readRuleFunnel(id)).done, { timeout: 60_000 }).toBe(1)
      await page.getByRole('link', { name: 'Log' }).click()
      await page.getByRole('row', { name: /Done.*evaluate: answered: 1/ }).waitFor()
      await page.getByRole('link', { name: `Run ${runId}` }).click()
      const rules = page.getByRole('list', { name: 'Rules' })
      await rules.getByText('Done', { exact: true }).waitFor()
      await button('Conditions').click()
      await page.getByRole('list', { name: 'Conditions' }).getByText('eq(status, "success")').waitFor()
      await expectAccessibleInThemes(page, 'run: rules')
      expectQuietConsole(page)
    })

    await step('a change is a version, and a change from elsewhere is shown before it is overwritten', async () => {
      const { id, definition } = await readRule()
      await page.goto(`${ui.server.url}/o/${ui.tenant}/rules/${id}?tab=settings`)
      await page.getByLabel('Percent of the traces').fill('50')
      await client.updateRule(id, { definition: { ...definition, sampling_rate: 0.9 }, expected_version: 1 })
      await button('Save version 2').click()
      await page.getByRole('heading', { name: 'Changed elsewhere while you were editing' }).waitFor()
      await button('Save mine as version 3').click()
      await expect.poll(async () => (await readRule()).version).toBe(3)
      await page.getByRole('link', { name: 'Versions' }).click()
      await page.getByRole('region', { name: 'Definition' }).getByText('0.5', { exact: true }).waitFor()
    })

    await step(
      'a block has its cure on the rule, in the list and on the home page, until a version mends it',
      async () => {
        const { id, definition } = await readRule()
        await client.updateRule(id, { definition: { ...definition, sampling_rate: 1 } })
        const { id: datasetId } = await client.readDataset({ datasetName: 'Collected' })
        await client.deleteDataset({ datasetId })
        await send('another answer')
        await expect.poll(async () => (await readRule()).blocked?.reason, { timeout: 60_000 }).toBe('target_missing')
        await page.goto(`${ui.server.url}/o/${ui.tenant}`)
        const card = page.getByRole('region', { name: 'Blocked rules' })
        await card.getByText('a dataset or a queue is gone').waitFor()
        await card.getByRole('link', { name: 'Judge answers' }).click()
        await page.getByRole('alert', { name: 'Blocked' }).getByRole('link', { name: 'Change the actions' }).click()
        await button('Remove action 1').click()
        await button(/^Save version/).click()
        await page.getByText(/^Saved version/).waitFor()
        await page.getByRole('link', { name: 'Overview' }).click()
        await expect.poll(async () => (await readRule()).blocked).toBeNull()
        await expect.poll(async () => (await client.readRuleFunnel(id)).waiting, { timeout: 60_000 }).toBe(0)
      },
    )

    await step('it is paused and deleted, also on a phone', async () => {
      await page.setViewportSize(PHONE)
      await button('Pause').click()
      await page.getByText('Paused', { exact: true }).first().waitFor()
      await button('Actions of Judge answers').click()
      await page.getByRole('menuitem', { name: 'Delete…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox').fill('Judge answers')
      await dialog.getByRole('button', { name: /^Delete/ }).click()
      await page.getByRole('heading', { name: 'No rules' }).waitFor()
    })
  })
})

async function readRule() {
  for await (const rule of client.listRules()) return rule
  throw new Error('There is no rule.')
}

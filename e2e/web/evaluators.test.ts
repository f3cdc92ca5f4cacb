import { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import { seedExperiments } from '../support/seed-experiments.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { step } from '../support/step.ts'

let ui: Ui
let client: Client
let fake: FakeProvider
// Shared: the steps of one journey.
let page: Page

/** The answer of the judge for a row, as a run of the experiment has it: it disagrees with people on every fourth row. */
const toReply = (example: number) =>
  JSON.stringify({ correct: { reasoning: `Looked at row ${example}.`, value: example % 2 === 1 && example % 4 !== 3 } })

beforeAll(async () => {
  fake = await startFakeProvider()
  ui = await openWorkspace()
  client = new Client({ apiUrl: `${ui.server.url}/api/v1`, webUrl: ui.server.url })
  await seedExperiments({
    url: ui.server.url,
    dataset: 'Questions',
    examples: 8,
    experiments: [
      {
        name: 'first try',
        scores: (example) => ({ correct: example % 2 }),
        output: (example) => ({ reply: toReply(example), text: `answer ${example}` }),
      },
    ],
  })
  page = await ui.open(`/o/${ui.tenant}/datasets`)
})
afterAll(async () => {
  await ui?.stop()
  await fake?.close()
})

async function readFirst() {
  for await (const evaluator of client.listSavedEvaluators()) return evaluator
  return undefined
}

const chooseExperiment = async () => {
  await chooseOption(page.getByRole('combobox', { name: 'Dataset' }), 'Questions')
  await chooseOption(page.getByRole('combobox', { name: 'Experiment' }), 'first try')
}

describe('evaluators', () => {
  it('go from a first judge to versions, JavaScript and a phone', { timeout: 300_000 }, async () => {
    await step('begin with a judge, whose variables are previewed on real rows', async () => {
      await page.getByRole('link', { name: 'Evaluators', exact: true }).click()
      await page.getByRole('heading', { name: 'No evaluators' }).waitFor()
      expectQuietConsole(page)
      await page.getByRole('link', { name: 'New judge' }).click()
      await page.getByText('The workspace has no model provider.').waitFor()
      expectQuietConsole(page)

      await client.createModelProvider({ name: 'Local', kind: 'openai-chat', base_url: fake.url })
      await page.reload()
      await page.getByLabel('Name', { exact: true }).fill('Right answer')
      await chooseOption(page.getByRole('combobox', { name: 'Provider' }), 'Local')
      await page.getByRole('combobox', { name: 'Model' }).fill('fake-forbidden')
      await page.getByLabel('Text of message 2').fill('Judge {{question}}: <<<{{{reply}}}>>>')
      await page.getByRole('button', { name: 'Create evaluator' }).click()
      await page.getByText('Enter where its value is, for example inputs.question.').first().waitFor()

      await chooseExperiment()
      await page.getByRole('combobox', { name: 'Path of question' }).fill('inputs.none')
      await page.getByText('In this row: no key "none" in inputs.').waitFor()
      await page.getByRole('combobox', { name: 'Path of question' }).fill('inputs.question')
      await page.getByRole('combobox', { name: 'Path of reply' }).fill('outputs.reply')
      await page
        .getByRole('status', { name: 'Value of question' })
        .getByText(/question \d/)
        .waitFor()
      await page.getByRole('button', { name: 'Run on this row' }).click()
      await page.getByText('The provider: Your region is excluded.').waitFor()
      await expectAccessibleInThemes(page, 'a judge that is refused')
      expectQuietConsole(page)

      await page.getByRole('combobox', { name: 'Model' }).fill('fake-script')
      await page.getByRole('button', { name: 'Run on this row' }).click()
      const result = page.getByRole('status', { name: 'Result' })
      await result.getByText(/Looked at row \d/).waitFor()
      await page.getByRole('button', { name: 'Create evaluator' }).click()
      await page.getByRole('link', { name: 'Agreement with people' }).waitFor()
    })

    await step('are compared with people before anybody trusts them', async () => {
      await page.getByRole('link', { name: 'Agreement with people' }).click()
      await chooseExperiment()
      await page.getByRole('button', { name: 'Compare with people' }).click()
      await page.getByText('8 rows compared of 8 that people scored.').waitFor({ timeout: 60_000 })
      const results = page.getByRole('region', { name: 'Agreement', exact: true })
      await results.getByText('75 %', { exact: true }).waitFor()
      await results.getByText('0.50', { exact: true }).waitFor()
      await results.getByText(/Moderate; 95 % interval/).waitFor()
      await results.getByRole('heading', { name: '2 rows with different labels' }).waitFor()
      expect(await results.getByRole('row').allInnerTexts()).toHaveLength(3)
      await expectAccessibleInThemes(page, 'agreement of a judge')
      expectQuietConsole(page)
      await results.getByRole('link').first().click()
      await page.waitForURL(/\/r\/[\da-f-]{36}/)
      await page.goBack()
    })

    await step('change by versions, which are compared', async () => {
      await page.getByRole('link', { name: 'Definition' }).click()
      await page.getByLabel('Text of message 1').fill('You judge answers strictly.')
      await page.getByLabel('What changes').fill('stricter')
      await page.getByRole('button', { name: 'Save version 2' }).click()
      await page.getByText('Saved version 2').waitFor()
      await page.getByRole('link', { name: 'Versions' }).click()
      const differences = page.getByRole('region', { name: 'Differences in Messages' })
      await differences.getByText(/strictly/).waitFor()
      await page.getByRole('list', { name: 'Versions' }).getByText('stricter').waitFor()
      expectQuietConsole(page)
      const evaluator = await readFirst()
      expect(evaluator).toMatchObject({ name: 'Right answer', kind: 'llm_judge', version: 2, keys: ['correct'] })
    })

    await step('in JavaScript show the line of a mistake, and are found by the command palette', async () => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('dialog').getByRole('combobox').fill('Evaluators')
      await page.getByRole('option', { name: 'Evaluators' }).click()
      await page.getByRole('row', { name: /Right answer LLM judge correct/ }).waitFor()
      expectQuietConsole(page)
      await page.getByRole('link', { name: 'New JavaScript' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Short enough')
      const source = page.getByRole('textbox', { name: 'Source' })
      await source.fill('function evaluate({ outputs }) {\n  return outputs.none.length\n}')
      await page.getByLabel('Feedback keys').fill('short')
      await chooseExperiment()
      await page.getByRole('button', { name: 'Run on this row' }).click()
      await page
        .getByRole('status', { name: 'Result' })
        .getByText(/^Line 2: /)
        .waitFor()
      await source.fill('function evaluate({ outputs }) {\n  return outputs.text.length < 20\n}')
      await page.getByRole('button', { name: 'Run on this row' }).click()
      await page.getByRole('status', { name: 'Result' }).getByText('short').waitFor()
      expectQuietConsole(page)
      await page.getByRole('button', { name: 'Create evaluator' }).click()
      await page.getByRole('button', { name: 'Actions of Short enough' }).click()
      await page.getByRole('menuitem', { name: 'Delete…' }).click()
      await page.getByRole('dialog').getByRole('textbox').fill('Short enough')
      await page.getByRole('button', { name: 'Delete evaluator' }).click()
      await page.getByRole('row', { name: /Right answer/ }).waitFor()
      expect(await page.getByRole('row').count()).toBe(2)
    })

    await step('fit a phone, and take the dark theme', async () => {
      const evaluator = await readFirst()
      const path = `/o/${ui.tenant}/evaluators`
      for (const address of [path, `${path}/${evaluator?.id}`, `${path}/${evaluator?.id}?tab=versions`]) {
        const phone = await ui.open(address, { size: PHONE, theme: 'dark' })
        await phone.getByText('Right answer').first().waitFor()
        expectQuietConsole(phone)
        const width = await phone.evaluate(() => document.documentElement.scrollWidth)
        expect(width).toBeLessThanOrEqual(PHONE.width)
      }
      const missing = await ui.open(`${path}/00000000-0000-4000-8000-000000000001`)
      await missing.getByRole('heading', { name: 'This evaluator was not found' }).waitFor()
    })
  })
})

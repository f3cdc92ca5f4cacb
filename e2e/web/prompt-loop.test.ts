import { Client } from '@touchstone/sdk'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aClient } from '../clients/javascript/a-client.ts'
import { python, runScript } from '../clients/python/run-script.ts'
import { chooseOption } from '../support/choose-option.ts'
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import { expectQuietConsole, openWorkspace, type Ui } from '../support/start-ui.ts'

const QUESTIONS = Array.from({ length: 8 }, (_, at) => `Where is order ${at + 1}?`)
/** The fake model answers with the text between the marks. */
const BAD = 'You help customers. <<<no idea>>>'
const GOOD = 'You help customers, and look at their orders. <<<on its way>>>'
const KEY = 'sk-loop-secret-0123456789'

let ui: Ui
let client: Client
let fake: FakeProvider
beforeAll(async () => {
  fake = await startFakeProvider({ key: KEY })
  ui = await openWorkspace()
  client = new Client({ apiUrl: `${ui.server.url}/api/v1`, webUrl: ui.server.url })
  await seedWorkspace()
})
afterAll(async () => {
  await ui?.stop()
  await fake?.close()
})

/** A provider, a dataset with answers, and two evaluators. */
async function seedWorkspace(): Promise<void> {
  const models = ['fake-script', 'fake-script-no-schema']
  const connection = { name: 'Models', kind: 'openai-chat', base_url: fake.url, key: KEY, models } as const
  const { id: provider_id } = await client.createModelProvider(connection)
  const { id: dataset_id } = await client.createDataset('orders')
  const outputs = { answer: 'on its way' }
  await client.createExamples(QUESTIONS.map((question) => ({ dataset_id, inputs: { question }, outputs })))
  const source = `function evaluate({ outputs, reference_outputs }) {
    return { key: 'correct', score: Number(outputs.choices[0].message.content === reference_outputs.answer) }
  }`
  await client.createSavedEvaluator({ name: 'Correct', definition: { kind: 'javascript', source, keys: ['correct'] } })
  await client.createSavedEvaluator({
    name: 'Polite',
    definition: {
      kind: 'llm_judge',
      provider_id,
      model: 'fake-script',
      messages: [{ role: 'user', content: '{{question}} <<<{"polite":{"reasoning":"It is short.","value":true}}>>>' }],
      mapping: { question: 'inputs.question' },
      feedback: [{ key: 'polite', type: 'boolean' }],
    },
  })
}

const lc = (id: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', id], kwargs })
const template = (text: string) => lc('PromptTemplate', { template: text, template_format: 'f-string' })

/** The prompt in production, and a bad answer that it gave. @returns id of the run */
async function seedBadRun(repo: string): Promise<string> {
  const messages = [
    lc('SystemMessagePromptTemplate', { prompt: template(BAD) }),
    lc('HumanMessagePromptTemplate', { prompt: template('{question}') }),
  ]
  await client.pushPrompt(repo, { object: lc('ChatPromptTemplate', { messages }), commitTags: ['production'] })
  const { commit_hash } = await client.pullPromptCommit(repo)
  const id = crypto.randomUUID()
  await client.createRun({
    id,
    name: 'answer',
    run_type: 'llm',
    project_name: 'support',
    start_time: Date.now(),
    end_time: Date.now() + 10,
    inputs: {
      model: 'fake-script',
      messages: [
        { role: 'system', content: BAD },
        { role: 'user', content: QUESTIONS[0] },
      ],
      temperature: 0.3,
    },
    outputs: { choices: [{ message: { role: 'assistant', content: 'no idea' } }] },
    extra: {
      metadata: {
        ls_provider: 'openai',
        ls_model_name: 'fake-script',
        lc_hub_owner: '-',
        lc_hub_repo: repo,
        lc_hub_commit_hash: commit_hash,
      },
    },
  })
  await client.flush()
  return id
}

const variant = (page: Page, name: string) => page.getByRole('article', { name: `Variant ${name}` })
const message = (column: Locator, at: number) =>
  column.getByRole('textbox', { name: new RegExp(`^Content of Message ${at} of`) })

/** Both variants over the dataset, with an evaluator. Leaves the page at the comparison. */
async function runOverDataset(page: Page, repo: string): Promise<void> {
  await page.getByRole('button', { name: 'Run over a dataset' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run over a dataset' })
  await chooseOption(dialog.getByRole('combobox', { name: 'Dataset' }), 'orders')
  await dialog.getByRole('textbox', { name: 'Name of the experiments' }).fill(repo)
  await dialog.getByRole('checkbox', { name: 'Correct' }).check()
  await dialog.getByRole('region', { name: 'Estimate' }).getByText('16 calls').waitFor()
  expectQuietConsole(page)
  await dialog.getByRole('button', { name: 'Run 16 calls' }).click()
  const strip = page.getByRole('region', { name: 'Run over a dataset' })
  await strip.getByText('Completed').waitFor({ timeout: 60_000 })
  await strip.getByText('16 of 16 calls').waitFor()
  await strip.getByRole('link', { name: 'Compare experiments' }).click()
  await page.waitForURL(/\/datasets\/.*\/compare/)
}

/** Judges both experiments of the open comparison with another evaluator. */
async function judge(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run evaluator' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run an evaluator' })
  await chooseOption(dialog.getByRole('combobox', { name: 'Evaluator' }), 'Polite')
  await dialog.getByRole('region', { name: 'Estimate' }).getByText('16 runs').waitFor()
  expectQuietConsole(page)
  await dialog.getByRole('button', { name: 'Judge 16 runs' }).click()
  await page.getByText('Polite judged 16 runs').waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Metric' }).click()
  await page.getByRole('menuitemradio', { name: 'polite' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Run evaluator' }).click()
  await chooseOption(dialog.getByRole('combobox', { name: 'Evaluator' }), 'Polite')
  await dialog.getByText('Left out: 16 judged before.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Judge', exact: true }).isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
}

/** Moves the tag to the newest commit of the open prompt, after its differences were shown. */
async function moveTag(page: Page, repo: string): Promise<void> {
  const { commits } = await client.readPromptHistory(repo)
  const [second = '', first = ''] = commits.map(({ commit_hash }) => commit_hash.slice(0, 8))
  await page.getByRole('link', { name: /^Commits \d/ }).click()
  await page.getByRole('button', { name: `Actions of commit ${second}` }).click()
  await page.getByRole('menuitem', { name: 'Set a tag…' }).click()
  await chooseOption(page.getByRole('dialog').getByRole('combobox', { name: 'Tag' }), `production (now ${first})`)
  const changes = page.getByRole('region', { name: 'What changes for programs' })
  await changes
    .getByRole('region', { name: 'Differences in Messages' })
    .getByText('look at their orders')
    .first()
    .waitFor()
  expectQuietConsole(page)
  await page.getByRole('button', { name: 'Move tag' }).click()
  await page.getByText(`Moved production to ${second}`).waitFor()
}

describe('the loop of a prompt', () => {
  it('goes from a bad run over playground, dataset, verdict, commit and tag to the public clients', {
    timeout: 300_000,
  }, async () => {
    const repo = 'order-status'
    const run = await seedBadRun(repo)
    const page = await ui.open(`/go/${run}`)
    await page.getByRole('button', { name: 'Open in playground' }).click()

    const a = variant(page, 'A')
    await message(a, 1).waitFor()
    expect(await message(a, 1).inputValue()).toBe(BAD)
    await chooseOption(a.getByRole('combobox', { name: 'Template language of A' }), 'f-string {x}')
    await message(a, 2).fill('{question}')
    await page.getByRole('button', { name: 'Add variant' }).click()
    const b = variant(page, 'B')
    await message(b, 1).fill(GOOD)
    await b.getByRole('combobox', { name: 'Model of B' }).fill('fake-script-no-schema')
    await page.getByRole('region', { name: 'Variables' }).getByRole('textbox', { name: 'question' }).fill('And mine?')
    await message(b, 2).press('Control+Enter')
    await a.getByRole('region', { name: 'Output of A' }).getByText('no idea').waitFor()
    await b.getByRole('region', { name: 'Output of B' }).getByText('on its way').waitFor()
    expectQuietConsole(page)

    await runOverDataset(page, repo)
    await page.getByRole('radio', { name: 'Summary' }).click()
    const better = page.getByRole('article', { name: `${repo}: B` })
    await better.getByText('better: +1.00').first().waitFor()
    expectQuietConsole(page)
    await judge(page)
    expectQuietConsole(page)

    await page.goBack()
    await page.goBack()
    await message(variant(page, 'B'), 1).press('Control+S')
    const dialog = page.getByRole('dialog', { name: 'Commit variant B' })
    await dialog.getByRole('combobox', { name: 'Prompt' }).fill(repo)
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Look at orders')
    await dialog.getByRole('region', { name: 'Differences in Messages' }).getByText('look at their orders').waitFor()
    expectQuietConsole(page)
    await dialog.getByRole('button', { name: 'Commit', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await variant(page, 'B')
      .getByRole('link', { name: new RegExp(`^${repo}:`) })
      .click()
    await moveTag(page, repo)

    await expectPulled(repo)
  })
})

/** Both public clients pull the new commit by its tag: the same fields with the same values. */
async function expectPulled(repo: string): Promise<void> {
  const prompt = `${repo}:production`
  const {
    owner,
    repo: name,
    commit_hash,
    manifest,
  } = await aClient(ui.server.url).pullPromptCommit(prompt, {
    includeModel: true,
    skipCache: true,
  })
  const [newest] = (await client.readPromptHistory(repo)).commits
  expect({ owner, repo: name, commit_hash }).toEqual({ owner: '-', repo, commit_hash: newest?.commit_hash })
  const { first, last } = (manifest as { kwargs: { first: Sequenced; last: Sequenced } }).kwargs
  expect(first.kwargs.messages?.map(({ id, kwargs }) => [id.at(-1), kwargs.prompt.kwargs.template])).toEqual([
    ['SystemMessagePromptTemplate', GOOD],
    ['HumanMessagePromptTemplate', '{question}'],
  ])
  expect(JSON.stringify(last)).toContain('"fake-script-no-schema"')
  expect(JSON.stringify(last)).toContain('"temperature":0.3')
  const ours = await client.pullPromptCommit(prompt, { includeModel: true, skipCache: true })
  expect(ours.manifest).toEqual(manifest)
  if (python === undefined) return
  const fromPython = await runScript('prompt_pull', { prompt }, ui.server.url)
  expect(fromPython).toEqual({ owner, repo: name, commit_hash, manifest })
}

interface Sequenced {
  readonly kwargs: {
    readonly messages?: readonly {
      readonly id: readonly string[]
      readonly kwargs: { readonly prompt: { readonly kwargs: { readonly template: string } } }
    }[]
  }
}

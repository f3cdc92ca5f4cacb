import { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { FAKE_TEXT, startFakeProvider } from '../../e2e/support/fake-provider.ts'
import type { Screen } from './screens.ts'

/** What the screens of the playground, prompts and evaluators show. */
export interface SeededPlayground {
  readonly draft: string
  readonly evaluator: string
  readonly run: string
  readonly dataset: string
  close(): Promise<void>
}

const LONG = 'A support prompt for the customers of the northern region, shorter'

/** Fills a workspace with a provider, prompts, an evaluator, a dataset and runs over it. */
export async function seedPlayground(url: string, apiKey: string): Promise<SeededPlayground> {
  const client = new Client({ apiUrl: `${url}/api/v1`, apiKey, webUrl: url })
  const fake = await startFakeProvider()
  const models = ['fake-model', 'fake-slow', 'fake-reasoning']
  const provider = await client.createModelProvider({
    name: 'Gateway',
    kind: 'openai-chat',
    base_url: fake.url,
    models,
  })
  await client.createModelProvider({
    name: `Gateway of the ${LONG}`,
    kind: 'anthropic-messages',
    base_url: fake.url,
    models,
  })
  await client.createModelPrice({
    name: 'Fake',
    match_pattern: 'fake-model',
    prompt_cost: '0.00001',
    completion_cost: '0.00004',
  })
  await seedPrompts(client)
  const evaluator = await client.createSavedEvaluator({
    name: 'Polite and to the point',
    description: 'Judges the tone of an answer.',
    definition: {
      kind: 'llm_judge',
      provider_id: provider.id,
      model: 'fake-model',
      messages: [{ role: 'user', content: 'Is this answer polite? {{outputs}}' }],
      feedback: [{ key: 'polite', type: 'boolean', description: 'Whether the customer is greeted' }],
    },
  })
  const dataset = await client.createDataset('questions of customers')
  await client.createExamples(
    Array.from({ length: 120 }, (_, at) => ({
      dataset_id: dataset.id,
      inputs: { question: `Where is order ${4000 + at}?`, tone: 'friendly' },
      outputs: { answer: `It arrives on day ${at % 7}.`, tool_results: { find_order: { day: at % 7 } } },
    })),
  )
  const variant = {
    name: 'A',
    provider_id: provider.id,
    model: 'fake-model',
    template_format: 'f-string' as const,
    messages: [{ role: 'user' as const, content: 'In a {tone} way: {question}' }],
  }
  const job = {
    dataset_id: dataset.id,
    name: LONG,
    variants: [variant, { ...variant, name: 'B', messages: [{ role: 'user' as const, content: '{question}' }] }],
  }
  for (const limits of [{}, { max_cost_usd: 0.01, max_seconds: 1800 }]) {
    const { id } = await client.createPlaygroundJob({ ...job, limits })
    await client.waitForPlaygroundJob(id)
  }
  const run = crypto.randomUUID()
  await client.createRun({
    id: run,
    name: 'answer',
    run_type: 'llm',
    project_name: 'docs-assistant',
    start_time: Date.now(),
    end_time: Date.now() + 900,
    inputs: {
      model: 'fake-model',
      messages: [
        { role: 'system', content: 'You answer questions about orders. Be {brief}.' },
        { role: 'user', content: 'tool please: where is order 4711?' },
      ],
      tools: [{ type: 'function', function: { name: 'find_order', parameters: { type: 'object' } } }],
      temperature: 0.3,
    },
    outputs: { choices: [{ message: { role: 'assistant', content: FAKE_TEXT.join('') } }] },
    extra: { metadata: { lc_hub_owner: '-', lc_hub_repo: 'support-answer', lc_hub_commit_hash: 'latest' } },
  })
  await client.flush()
  const draft = await client.createPlaygroundDraft({ name: LONG, body: { version: 2, ...toBody(provider.id) } })
  return {
    draft: draft.id,
    evaluator: evaluator.id,
    run,
    dataset: dataset.id,
    close: () => fake.close(),
  }
}

async function seedPrompts(client: Client): Promise<void> {
  const template = (text: string) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'prompts', 'prompt', 'PromptTemplate'],
    kwargs: {
      input_variables: ['question'],
      template: text,
      template_format: 'f-string',
      metadata: { team: 'support' },
    },
  })
  await client.createPrompt('support-answer', { description: 'Answers questions about orders.', tags: ['support'] })
  for (const [at, text] of ['Answer: {question}', 'Answer briefly: {question}', 'Be kind: {question}'].entries()) {
    await client.createCommit('support-answer', template(text), { description: `Version ${at + 1}` })
  }
  for (const tag of ['production', 'staging-of-the-northern-region', 'experiment-7', 'blue']) {
    await client.tagCommit('support-answer', tag)
  }
  await client.createPrompt(`very-long-name-${'of-a-prompt-'.repeat(6)}end`, { description: LONG })
  for (let at = 0; at < 12; at++) await client.createPrompt(`prompt-${at}`, { description: 'Drafts of the team' })
}

function toBody(providerId: string) {
  const variant = (key: string, name: string, text: string) => ({
    key,
    name,
    providerId,
    model: 'fake-model',
    format: 'f-string',
    messages: [
      { role: 'system', content: 'You are {tone}.' },
      { role: 'user', content: text },
    ],
    tools: '[{"type":"function","function":{"name":"find_order","parameters":{"type":"object"}}}]',
    parameters: { temperature: 0.2 },
    extraBody: '',
  })
  return {
    variants: [variant('1', 'A', 'tool please: {question}'), variant('2', 'B', '{question}')],
    values: { tone: 'friendly', question: 'Where is order 4711?' },
    repeats: 1,
    runs: {},
    origin: {},
  }
}

/** Screens of the playground and its dialogs, of prompts, evaluators and providers. */
export function listPlaygroundScreens(tenant: string, seeded: SeededPlayground): Screen[] {
  const path = `/o/${tenant}/playground?draft=${seeded.draft}`
  const prompt = `/o/${tenant}/prompts/-/support-answer`
  return [
    { name: 'playground-draft', path },
    { name: 'playground-run', path: `/o/${tenant}/playground?run=${seeded.run}` },
    { name: 'playground-answers', path, prepare: answers },
    { name: 'playground-dataset', path, prepare: opensDataset },
    { name: 'playground-row', path, prepare: opensRows },
    { name: 'playground-jobs', path, prepare: presses('Runs over datasets') },
    { name: 'playground-resume', path, prepare: resumes },
    { name: 'playground-drafts', path, prepare: opensMenu('Drafts', 'All drafts…') },
    { name: 'playground-prompt', path, prepare: opensMenu('Actions of A', 'Open a prompt…') },
    { name: 'playground-commit', path, prepare: opensMenu('Actions of A', /^Commit to a prompt/) },
    { name: 'prompts-list', path: `/o/${tenant}/prompts` },
    { name: 'prompt-page', path: prompt },
    { name: 'prompt-commits', path: `${prompt}?tab=commits` },
    { name: 'prompt-settings', path: `${prompt}?tab=settings` },
    { name: 'evaluators-list', path: `/o/${tenant}/evaluators` },
    { name: 'evaluator-new', path: `/o/${tenant}/evaluators/new` },
    { name: 'evaluator-page', path: `/o/${tenant}/evaluators/${seeded.evaluator}` },
    { name: 'evaluator-agreement', path: `/o/${tenant}/evaluators/${seeded.evaluator}?tab=agreement` },
    { name: 'providers-list', path: `/o/${tenant}/settings/providers` },
    { name: 'providers-dialog', path: `/o/${tenant}/settings/providers`, prepare: presses('Add provider') },
  ]
}

const ready = (page: Page) => page.getByRole('combobox', { name: 'Model of A' }).waitFor({ timeout: 20_000 })
const isOpen = (page: Page) => page.getByRole('dialog').last().waitFor({ timeout: 10_000 })

const presses = (button: string) => async (page: Page) => {
  await page.getByRole('button', { name: button, exact: true }).first().click({ timeout: 20_000 })
  await isOpen(page)
}

const opensMenu = (button: string, item: string | RegExp) => async (page: Page) => {
  await ready(page)
  await page.getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
  await isOpen(page)
}

async function answers(page: Page): Promise<void> {
  await ready(page)
  await page.getByRole('button', { name: 'Run all' }).click()
  await page.getByRole('form', { name: 'Results of the calls of A' }).waitFor({ timeout: 30_000 })
}

async function choosesDataset(page: Page): Promise<void> {
  await isOpen(page)
  await page.getByRole('dialog').getByRole('combobox', { name: 'Dataset' }).click()
  await page.getByRole('option', { name: 'questions of customers' }).click()
}

async function opensDataset(page: Page): Promise<void> {
  await ready(page)
  await page.getByRole('button', { name: 'Run over a dataset' }).click()
  await choosesDataset(page)
  await page.getByRole('region', { name: 'Estimate' }).waitFor({ timeout: 20_000 })
}

async function opensRows(page: Page): Promise<void> {
  await ready(page)
  const button = page.getByRole('button', { name: 'Take a row of a dataset' })
  if ((await button.count()) === 0) await page.getByRole('button', { name: /^Variables/ }).click()
  await button.click()
  await choosesDataset(page)
  await page.getByText('120 rows').waitFor()
}

async function resumes(page: Page): Promise<void> {
  await ready(page)
  await page.getByRole('button', { name: 'Runs over datasets' }).click()
  await page
    .getByRole('button', { name: /^Resume / })
    .first()
    .click()
  await page.getByRole('dialog', { name: 'Resume the run' }).waitFor()
}

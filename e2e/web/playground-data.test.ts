import type { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { ANSWER, message, type PlaygroundUi, startPlayground, variant } from '../support/start-playground.ts'
import { DESKTOP, expectQuietConsole, type Ui } from '../support/start-ui.ts'

let playground: PlaygroundUi
let ui: Ui
let client: Client
beforeAll(async () => {
  playground = await startPlayground()
  ;({ ui, client } = playground)
  await playground.addProvider('Models')
})
afterAll(() => playground?.stop())

const variables = (page: Page) => page.getByRole('region', { name: 'Variables', exact: true })
const TOOLS = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }]

interface Recorded {
  readonly id: string
  readonly metadata?: Record<string, string>
  /** Arguments and answer of the tool that the application called. */
  readonly tool?: { readonly args: Record<string, string>; readonly answer: string }
}

/** A trace of a chain with the variables of its prompt, a call of a model, and one of a tool. */
async function recordTrace({ id, metadata = {}, tool }: Recorded): Promise<void> {
  const trace = crypto.randomUUID()
  const start = Date.now()
  const times = { start_time: start, end_time: start + 10, trace_id: trace, project_name: 'support' }
  const order = (run: string) => `${new Date(start).toISOString().replaceAll(/[-:.Z]/g, '')}000Z${run}`
  const child = (run: string) => ({ ...times, parent_run_id: trace, dotted_order: `${order(trace)}.${order(run)}` })
  const root = { ...times, dotted_order: order(trace) }
  await client.createRun({
    ...root,
    id: trace,
    name: 'agent',
    run_type: 'chain',
    inputs: { tone: 'kind', topic: 'tea' },
  })
  await client.createRun({
    ...child(id),
    id,
    name: 'model',
    run_type: 'llm',
    inputs: { model: 'fake-model', messages: [{ role: 'user', content: 'tool please' }], tools: TOOLS },
    outputs: { choices: [{ message: { role: 'assistant', content: 'Bad' } }] },
    extra: { metadata: { ls_provider: 'openai', ls_model_name: 'fake-model', ...metadata } },
  })
  if (tool !== undefined) {
    const run = crypto.randomUUID()
    const outputs = { output: tool.answer }
    await client.createRun({
      ...child(run),
      id: run,
      name: 'get_weather',
      run_type: 'tool',
      inputs: tool.args,
      outputs,
    })
  }
  await client.flush()
  await expect
    .poll(
      () =>
        client.readRun(id).then(
          ({ name }) => name,
          () => '',
        ),
      { timeout: 30_000 },
    )
    .toBe('model')
}

describe('calls of tools', () => {
  it('are answered from the recorded trace', async () => {
    const id = crypto.randomUUID()
    await recordTrace({ id, tool: { args: { city: 'Zürich' }, answer: '7 degrees, recorded' } })
    const page = await ui.open(playground.path(`?run=${id}`))
    const a = variant(page)
    await a.getByRole('button', { name: 'Run A' }).click()
    const results = a.getByRole('form', { name: 'Results of the calls of A' })
    await results.getByText('From the recorded trace.').waitFor()
    expect(await results.getByRole('textbox').inputValue()).toBe('7 degrees, recorded')
    await expectAccessibleInThemes(page, 'a recorded result of a tool')
    expectQuietConsole(page)
    await results.getByRole('button', { name: 'Send result' }).click()
    await a.getByText(ANSWER).waitFor()
    expect(playground.calls().at(-1)?.messages).toMatchObject([
      {},
      {},
      { role: 'tool', content: '7 degrees, recorded' },
    ])
  })

  it('with other arguments than the recorded ones get its answer only when it is chosen', async () => {
    const id = crypto.randomUUID()
    await recordTrace({ id, tool: { args: { city: 'Oslo' }, answer: '2 degrees' } })
    const page = await ui.open(playground.path(`?run=${id}`))
    await variant(page).getByRole('button', { name: 'Run A' }).click()
    const results = variant(page).getByRole('form', { name: 'Results of the calls of A' })
    await results.getByText('for {"city":"Oslo"}').waitFor()
    expect(await results.getByRole('textbox').inputValue()).toBe('')
    await results.getByRole('button', { name: 'Use the result of the recorded trace' }).click()
    expect(await results.getByRole('textbox').inputValue()).toBe('2 degrees')
  })

  it('are answered from a row of a dataset, whose fields are the values of the variables', async () => {
    const { id } = await client.createDataset('cities')
    const rows = Array.from({ length: 400 }, (_, at) => ({
      dataset_id: id,
      inputs: { place: `City ${at}`, ask: 'tool please' },
      outputs: { tool_results: { get_weather: { degrees: at } } },
    }))
    await client.createExamples(rows)
    const page = await ui.open(playground.path())
    const a = variant(page)
    await a.getByRole('combobox', { name: 'Model of A' }).fill('fake-model')
    await message(a, 2).fill('{place}: {ask}')
    await a.getByRole('button', { name: 'Tools' }).click()
    await a.getByRole('button', { name: 'Add tool' }).click()
    await a.getByRole('textbox', { name: 'Name of tool 1 of A' }).fill('get_weather')
    await page.getByRole('button', { name: 'Take a row of a dataset' }).click()
    const dialog = page.getByRole('dialog', { name: 'Take a row of a dataset' })
    await chooseOption(dialog.getByRole('combobox', { name: 'Dataset' }), 'cities')
    await dialog.getByText('400 rows').waitFor()
    expectQuietConsole(page)
    // Only the rows in view are mounted and loaded.
    const grid = dialog.getByRole('grid', { name: 'Rows' })
    expect(await grid.getByRole('row').count()).toBeLessThan(80)
    await grid
      .getByText(/City \d+"/)
      .first()
      .waitFor()
    await grid.evaluate((element) => {
      const scroller = [element, ...element.querySelectorAll('*')].find(
        (one) => one.scrollHeight > one.clientHeight + 500,
      )
      const box = scroller ?? element.parentElement
      if (box) box.scrollTop = box.scrollHeight
    })
    await grid
      .getByRole('row')
      .filter({ hasText: /^400\{"place"/ })
      .click()
    await dialog.waitFor({ state: 'detached' })
    const place = await variables(page).getByRole('textbox', { name: 'place' }).inputValue()
    expect(place).toMatch(/^City \d+$/)
    await a.getByRole('button', { name: 'Run A' }).click()
    const results = a.getByRole('form', { name: 'Results of the calls of A' })
    await results.getByText('From the dataset row.').waitFor()
    expect(JSON.parse(await results.getByRole('textbox').inputValue())).toEqual({ degrees: Number(place.slice(5)) })
    await results.getByRole('button', { name: 'Send result' }).click()
    await a.getByText(ANSWER).waitFor()
  })
})

describe('a recorded run', () => {
  it('runs nothing when it is opened, reloaded, or opened as a draft', async () => {
    const id = crypto.randomUUID()
    await recordTrace({ id })
    const before = playground.calls().length
    const page = await ui.open(`/go/${id}`)
    await page.getByRole('button', { name: 'Open in playground' }).click()
    await variant(page).waitFor()
    await page.reload()
    await variant(page).waitFor()
    await message(variant(page), 1).fill('Changed')
    await page.getByText(/^Saved /).waitFor()
    await page.reload()
    await expect.poll(() => message(variant(page), 1).inputValue()).toBe('Changed')
    await page.waitForLoadState('networkidle')
    expect(playground.calls()).toHaveLength(before)
  })

  it('shows why it cannot be opened when no model was called', async () => {
    const id = crypto.randomUUID()
    await recordTrace({ id })
    const run = await client.readRun(id)
    const page = await ui.open(`/go/${run.trace_id}`)
    const button = page.getByRole('button', { name: 'Open in playground' }).first()
    expect(await button.getAttribute('title')).toContain('Only a call of a model')
    // Closed, but its reason is shown when it is pressed.
    await button.click({ force: true })
    await page.getByText(/^Only a call of a model can be opened/).waitFor()
    await expectAccessibleInThemes(page, 'a run that cannot be opened')
    expectQuietConsole(page)
  })

  it('is opened as another version of its prompt, with the variables that it had', async () => {
    const manifest = (text: string) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'prompts', 'chat', 'ChatPromptTemplate'],
      kwargs: {
        input_variables: ['tone', 'topic'],
        messages: [
          {
            lc: 1,
            type: 'constructor',
            id: ['langchain_core', 'prompts', 'chat', 'HumanMessagePromptTemplate'],
            kwargs: {
              prompt: {
                lc: 1,
                type: 'constructor',
                id: ['langchain_core', 'prompts', 'prompt', 'PromptTemplate'],
                kwargs: { input_variables: ['tone', 'topic'], template: text, template_format: 'f-string' },
              },
            },
          },
        ],
      },
    })
    await client.createPrompt('writer')
    for (let at = 1; at <= 55; at++) await client.createCommit('writer', manifest(`${at}: a {tone} text about {topic}`))
    const commits: string[] = []
    for await (const { commit_hash } of client.listCommits('writer')) commits.push(commit_hash)
    const oldest = commits.at(-1) ?? ''
    const id = crypto.randomUUID()
    await recordTrace({ id, metadata: { lc_hub_owner: '-', lc_hub_repo: 'writer', lc_hub_commit_hash: oldest } })
    const page = await ui.open(playground.path(`?run=${id}`))
    await page.getByText('It had 2 values of variables.').waitFor()
    await expectAccessibleInThemes(page, 'versions of a prompt')
    expectQuietConsole(page)
    // The fifth commit is not among the newest fifty.
    const fifth = commits[commits.length - 5]?.slice(0, 8) ?? ''
    await page.getByRole('combobox', { name: 'Version of the prompt' }).click()
    await page.getByRole('combobox', { name: 'Search Version of the prompt' }).fill(fifth)
    await page.getByRole('option', { name: new RegExp(`^${fifth}`) }).click()
    await page.getByRole('button', { name: 'Open the prompt instead' }).click()
    await expect.poll(() => message(variant(page), 1).inputValue()).toBe('5: a {tone} text about {topic}')
    expect(await variables(page).getByRole('textbox', { name: 'tone' }).inputValue()).toBe('kind')
    await variant(page).getByRole('button', { name: 'Run A' }).click()
    await variant(page).getByText(ANSWER).waitFor()
    expect(playground.calls().at(-1)?.messages).toEqual([{ role: 'user', content: '5: a kind text about tea' }])
  })
})

describe('the picker of prompts', () => {
  it('finds one of many by its name or description, by keyboard, and opens it beside the others', async () => {
    for (let from = 0; from < 60; from += 20) {
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          client.createPrompt(`prompt-${from + at}`, { description: from + at === 7 ? 'Answers about refunds' : '' }),
        ),
      )
    }
    const found = { lc: 1, type: 'constructor', id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'] }
    await client.createCommit('prompt-7', {
      ...found,
      kwargs: { input_variables: ['order'], template: 'Refund {order}?', template_format: 'f-string' },
    })
    const page = await ui.open(playground.path())
    await message(variant(page), 2).fill('Kept')
    await page.getByRole('button', { name: 'Actions of A' }).click()
    await page.getByRole('menuitem', { name: 'Open a prompt…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Open a prompt' })
    await dialog.getByText(/more prompts\. Type to find them\./).waitFor()
    await dialog.getByRole('combobox', { name: 'Find a prompt' }).fill('refunds')
    await expect.poll(() => dialog.getByRole('option').allTextContents()).toEqual(['prompt-7Answers about refunds'])
    await dialog.getByRole('combobox', { name: 'Find a prompt' }).press('Enter')
    await chooseOption(dialog.getByRole('combobox', { name: 'Open in' }), 'A new variant')
    expectQuietConsole(page)
    await dialog.getByRole('button', { name: 'Open', exact: true }).click()
    await expect.poll(() => message(variant(page, 'B'), 1).inputValue()).toBe('Refund {order}?')
    expect(await message(variant(page), 2).inputValue()).toBe('Kept')
  })
})

describe('runs over datasets', () => {
  it('begin at the page of a dataset, which is then selected', async () => {
    const { id } = await client.createDataset('begun here')
    await client.createExamples([1, 2].map((at) => ({ dataset_id: id, inputs: { question: `Here ${at}` } })))
    const page = await ui.open(`/o/${ui.tenant}/datasets/${id}`)
    await page.getByRole('button', { name: 'Actions of the dataset' }).click()
    await page.getByRole('menuitem', { name: 'Open in playground' }).click()
    const a = variant(page)
    await a.getByRole('combobox', { name: 'Model of A' }).fill('fake-model')
    await message(a, 2).fill('{question}')
    await page.getByRole('button', { name: 'Run over a dataset' }).click()
    const dialog = page.getByRole('dialog', { name: 'Run over a dataset' })
    await dialog.getByText('Row 1 of 2').waitFor()
    await dialog.getByText(/^Here \d$/).waitFor()
    expectQuietConsole(page)
  })

  it('are repeated, listed, and resumed with another limit', async () => {
    await client.createModelPrice({
      name: 'Fake',
      match_pattern: 'fake-model',
      prompt_cost: '1',
      completion_cost: '1',
    })
    const { id } = await client.createDataset('priced')
    await client.createExamples([1, 2, 3, 4].map((at) => ({ dataset_id: id, inputs: { question: `Question ${at}` } })))
    const page = await ui.open(playground.path())
    const a = variant(page)
    await a.getByRole('combobox', { name: 'Model of A' }).fill('fake-model')
    await message(a, 2).fill('{question}')
    await page.getByRole('spinbutton', { name: 'Repeats' }).fill('3')
    await page.getByRole('button', { name: 'Run over a dataset' }).click()
    const dialog = page.getByRole('dialog', { name: 'Run over a dataset' })
    await chooseOption(dialog.getByRole('combobox', { name: 'Dataset' }), 'priced')
    await dialog.getByRole('region', { name: 'Estimate' }).getByText('12 calls').waitFor()
    await dialog.getByText('Row 1 of 4').waitFor()
    await dialog.getByRole('button', { name: 'Next row' }).click()
    await dialog.getByText('Row 2 of 4').waitFor()
    await dialog.getByText(/^Question \d$/).waitFor()
    await dialog.getByRole('textbox', { name: 'Name of the experiments' }).fill('repeated')
    await dialog.getByRole('textbox', { name: 'Limit in US dollars (optional)' }).fill('40')
    await dialog.getByRole('textbox', { name: 'Limit in minutes (optional)' }).fill('30')
    await dialog.getByRole('button', { name: 'Run 12 calls' }).click()
    const strip = page.getByRole('region', { name: 'Run over a dataset' })
    await strip.getByText('Stopped', { exact: true }).waitFor({ timeout: 60_000 })
    await strip.getByRole('button', { name: 'Dismiss the run over the dataset' }).click()

    await page.getByRole('button', { name: 'Runs over datasets' }).click()
    const list = page.getByRole('dialog', { name: 'Runs over datasets' })
    const row = list.getByRole('listitem').filter({ hasText: 'repeated' })
    await row.getByText(/at most \$40\S* and 30 min/).waitFor()
    expect(await row.getByRole('link', { name: /^Compare experiments of/ }).getAttribute('href')).toContain('/compare')
    await expectAccessibleInThemes(page, 'runs over datasets')
    expectQuietConsole(page)
    await row.getByRole('button', { name: /^Resume repeated/ }).click()
    const resume = page.getByRole('dialog', { name: 'Resume the run' })
    expect(await resume.getByRole('textbox', { name: 'Limit in US dollars (optional)' }).inputValue()).toBe('40')
    await resume.getByText(/have cost \$\d+\S* already/).waitFor()
    await resume.getByRole('textbox', { name: 'Limit in US dollars (optional)' }).fill('')
    await expectAccessibleInThemes(page, 'resuming a run')
    expectQuietConsole(page)
    await resume.getByRole('button', { name: 'Resume', exact: true }).click()
    await row.getByText('Completed').waitFor({ timeout: 60_000 })
    await row.getByText('12 of 12 calls').waitFor()
    await row.getByRole('link', { name: /^Compare experiments of/ }).click()
    await page.waitForURL(/\/datasets\/.*\/compare/)
    await page.getByText(ANSWER).first().waitFor()
    // The number of repetitions comes from the runs.
    await page.getByText('distinct of 3').first().waitFor()
  })
})

describe('drafts', () => {
  it('are deleted from the list, also the open one', async () => {
    const page = await ui.open(playground.path())
    await page.getByRole('textbox', { name: 'Name of the draft' }).fill('Not needed')
    await expect.poll(() => new URL(page.url()).searchParams.get('draft'), { timeout: 20_000 }).not.toBeNull()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Not needed').waitFor()
    await page.getByRole('button', { name: 'Drafts' }).click()
    await page.getByRole('menuitem', { name: 'All drafts…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Drafts' })
    await dialog.getByRole('button', { name: 'Delete the draft Not needed' }).click()
    await expectAccessibleInThemes(page, 'deleting a draft')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Delete draft', exact: true }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('draft'), { timeout: 20_000 }).toBeNull()
    const { drafts } = await client.listPlaygroundDrafts()
    expect(drafts.map(({ name }) => name)).not.toContain('Not needed')
  })
})

describe('long names', () => {
  it.each([DESKTOP, { width: 1024, height: 768 }, { width: 390, height: 844 }])(
    'push no button off the screen at $width px',
    async (size) => {
      const long = `a-very-long-name-${'x'.repeat(120)}`
      await client.createPrompt(long).catch(() => undefined)
      const template = { input_variables: [long.replaceAll('-', '_')], template: `{${long.replaceAll('-', '_')}}` }
      const id = ['langchain', 'prompts', 'prompt', 'PromptTemplate']
      const kwargs = { ...template, template_format: 'f-string' }
      await client.createCommit(long, { lc: 1, type: 'constructor', id, kwargs }).catch(() => undefined)
      const page = await ui.open(playground.path(`?prompt=-/${long}/latest`), { size })
      await variant(page).getByRole('combobox', { name: 'Model of A' }).fill(long)
      await page.getByRole('textbox', { name: 'Name of the draft' }).fill(long)
      const buttons = [
        page.getByRole('button', { name: 'Run all' }),
        page.getByRole('button', { name: 'Run over a dataset' }),
        variant(page).getByRole('button', { name: 'Run A' }),
        variant(page).getByRole('button', { name: 'Actions of A' }),
      ]
      for (const button of buttons) {
        const box = await button.boundingBox()
        expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= size.width, String(button)).toBe(true)
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(size.width)
    },
  )
})

import type { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { ANSWER, message, type PlaygroundUi, startPlayground, variant } from '../support/start-playground.ts'
import { expectQuietConsole, PHONE, type Ui } from '../support/start-ui.ts'

let playground: PlaygroundUi
let ui: Ui
let client: Client
beforeAll(async () => {
  playground = await startPlayground()
  ;({ ui, client } = playground)
})
afterAll(() => playground?.stop())

describe('the playground without a provider', () => {
  it('asks for a provider first, and opens when it is added', async () => {
    const page = await ui.open(playground.path())
    await page.getByRole('heading', { name: 'Add a provider of models first' }).waitFor()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Add provider' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add provider' })
    await chooseOption(dialog.getByRole('combobox', { name: 'Provider' }), 'vLLM')
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill(playground.fake.url)
    await dialog.getByRole('button', { name: 'Add provider' }).click()
    await variant(page).getByRole('combobox', { name: 'Provider of A' }).waitFor()
    expectQuietConsole(page)
  })
})

describe('the playground', () => {
  beforeAll(() => playground.addProvider('Models'))

  it('runs two variants with variables, and saves a draft', async () => {
    const page = await ui.open(playground.path())
    const a = variant(page)
    await a.getByRole('combobox', { name: 'Model of A' }).fill('fake-model')
    await message(a, 1).fill('You are {tone}.')
    await message(a, 2).fill('What about {topic}?')
    const variables = page.getByRole('region', { name: 'Variables' })
    await variables.getByRole('textbox', { name: 'tone' }).fill('brief')
    await variables.getByText('No value').waitFor()
    await variables.getByRole('textbox', { name: 'topic' }).fill('the sea')
    await page.getByRole('button', { name: 'Add variant' }).click()
    const b = variant(page, 'B')
    await message(b, 1).fill('You are {tone} and {mood}.')
    await variables.getByRole('textbox', { name: 'mood' }).fill('glad')
    await message(b, 2).press('Control+Enter')
    for (const [column, name] of [
      [a, 'A'],
      [b, 'B'],
    ] as const) {
      await column
        .getByRole('region', { name: `Output of ${name}` })
        .getByText(ANSWER)
        .waitFor()
    }
    expect(
      playground
        .calls()
        .slice(-2)
        .map(({ messages }) => JSON.stringify(messages))
        .sort(),
    ).toEqual([expect.stringContaining('You are brief and glad.'), expect.stringContaining('You are brief.')])
    await a.getByText(/20 → 10 tokens/).waitFor()
    await page.getByText(/^Saved /).waitFor()
    expectQuietConsole(page)

    await variables.getByRole('textbox', { name: 'mood' }).fill('sad')
    await b.getByText(/^Stale:/).waitFor()
    expect(await a.getByText(/^Stale:/).count()).toBe(0)
    await b.getByRole('button', { name: 'Diff with A' }).click()
    await page.getByRole('dialog', { name: 'Output of A and B' }).getByText('No differences').waitFor()
    expectQuietConsole(page)
    await page.keyboard.press('Escape')

    await expect
      .poll(() => new URL(page.url()).searchParams.get('draft'), { timeout: 20_000 })
      .toMatch(/^[\da-f-]{36}$/)
    await expect.poll(async () => (await page.getByText(/^Saved /).count()) > 0, { timeout: 20_000 }).toBe(true)
    await page.reload()
    await variant(page, 'B').getByText(ANSWER).waitFor()
    expect(await message(variant(page, 'B'), 1).inputValue()).toBe('You are {tone} and {mood}.')
  })

  it('stops a variant, and keeps what has arrived', async () => {
    const page = await ui.open(playground.path())
    const a = variant(page)
    await a.getByRole('combobox', { name: 'Model of A' }).fill('fake-stall')
    await message(a, 2).fill('Go on')
    await a.getByRole('button', { name: 'Run A' }).click()
    await a.getByText(/Grüße/).waitFor()
    const before = playground.fake.aborted()
    await a.getByRole('button', { name: 'Stop A' }).click()
    await a.getByText('Stopped').waitFor()
    await expect.poll(() => playground.fake.aborted(), { timeout: 20_000 }).toBeGreaterThan(before)
    await a.getByText(/Grüße/).waitFor()
  })

  it('shows the words of the provider, and runs again without a rejected parameter', async () => {
    const page = await ui.open(playground.path())
    const a = variant(page)
    await a.getByRole('combobox', { name: 'Model of A' }).fill('fake-no-temperature')
    await message(a, 2).fill('Hi')
    await a.getByRole('button', { name: 'Parameters' }).click()
    await a.getByRole('spinbutton', { name: 'Temperature' }).fill('0.5')
    await a.getByRole('button', { name: 'Run A' }).click()
    await a.getByText("Unsupported parameter: 'temperature' is not supported.").waitFor()
    expectQuietConsole(page)
    await a.getByRole('button', { name: 'Remove temperature and retry' }).click()
    await a.getByText(ANSWER).waitFor()
    expect(await a.getByRole('spinbutton', { name: 'Temperature' }).inputValue()).toBe('')
  })

  it('answers the call of a tool by hand', async () => {
    const page = await ui.open(playground.path())
    const a = variant(page)
    await a.getByRole('combobox', { name: 'Model of A' }).fill('fake-model')
    await message(a, 2).fill('tool please')
    await a.getByRole('button', { name: 'Tools' }).click()
    await a.getByRole('button', { name: 'Add tool' }).click()
    await a.getByRole('textbox', { name: 'Name of tool 1 of A' }).fill('get_weather')
    await a.getByRole('button', { name: 'Run A' }).click()
    const results = a.getByRole('form', { name: 'Results of the calls of A' })
    await results.getByRole('textbox', { name: 'Result of get_weather' }).fill('{"degrees": 12}')
    expectQuietConsole(page)
    await results.getByRole('button', { name: 'Send result' }).click()
    await a.getByText(ANSWER).waitFor()
    expect(playground.calls().at(-1)?.messages).toMatchObject([
      {},
      { role: 'user', content: 'tool please' },
      { role: 'assistant', tool_calls: [{ function: { name: 'get_weather' } }] },
      { role: 'tool', content: '{"degrees": 12}' },
    ])
  })

  it('checks the answer against a schema, and names the path', async () => {
    const page = await ui.open(playground.path())
    const a = variant(page)
    await a.getByRole('combobox', { name: 'Model of A' }).fill('fake-model')
    await message(a, 2).fill('Hi')
    await a.getByRole('button', { name: 'Output schema' }).click()
    await a.getByRole('button', { name: 'Add schema' }).click()
    const schema = a.getByRole('textbox', { name: 'Output schema of A', exact: true })
    await schema.fill('{"type":"object","properties":{"city":{"type":"number"}}}')
    await a.getByRole('button', { name: 'Run A' }).click()
    await a.getByText(/does not match the output schema at/).waitFor()
    await a.getByText('/city').waitFor()
  })

  it('fits a phone', async () => {
    await playground.addProvider(`A gateway of the platform team ${'x'.repeat(60)}`)
    const page = await ui.open(playground.path(), { size: PHONE })
    await message(variant(page), 2).fill('About {topic}')
    await page.getByRole('button', { name: /^Variables: topic/ }).waitFor()
    await page.getByRole('button', { name: 'Add variant' }).click()
    await variant(page, 'B').waitFor()
    await page.getByRole('tab', { name: 'Variant A' }).click()
    await variant(page).waitFor()
    expectQuietConsole(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
  })
})

describe('a run over a dataset', () => {
  beforeAll(() => playground.addProvider('Models of datasets'))

  it('shows what it needs, runs on the server, and leads to the comparison', async () => {
    const { id } = await client.createDataset('questions')
    await client.createExamples([1, 2, 3].map((at) => ({ dataset_id: id, inputs: { ask: `Question ${at}` } })))
    const page = await ui.open(playground.path())
    const a = variant(page)
    await a.getByRole('combobox', { name: 'Model of A' }).fill('fake-model')
    await message(a, 2).fill('{question}')
    await page.getByRole('button', { name: 'Add variant' }).click()
    await page.getByRole('button', { name: 'Run over a dataset' }).click()
    const dialog = page.getByRole('dialog', { name: 'Run over a dataset' })
    await chooseOption(dialog.getByRole('combobox', { name: 'Dataset' }), 'questions')
    const variables = dialog.getByRole('region', { name: 'Variables of the rows' })
    await variables.getByText('no key "question" in inputs').waitFor()
    await variables.getByRole('combobox', { name: 'Source of question' }).fill('inputs.ask')
    await variables.getByText(/^Question \d$/).waitFor()
    await dialog.getByRole('region', { name: 'Estimate' }).getByText('6 calls').waitFor()
    expectQuietConsole(page)
    await dialog.getByRole('button', { name: 'Run 6 calls' }).click()
    const strip = page.getByRole('region', { name: 'Run over a dataset' })
    await strip.getByText('Completed').waitFor({ timeout: 60_000 })
    await strip.getByText('6 of 6 calls').waitFor()
    await expectAccessibleInThemes(page, 'a finished run over a dataset')
    expectQuietConsole(page)
    await strip.getByRole('link', { name: 'Compare experiments' }).click()
    await page.waitForURL(/\/datasets\/.*\/compare/)
    await page.getByText(ANSWER).first().waitFor()
  })
})

describe('from a bad run to a better prompt', () => {
  beforeAll(() => playground.addProvider('Models of runs'))

  it('opens the run with everything it sent, and commits the change with a tag', async () => {
    const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object' } } }]
    const document = { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }
    const id = crypto.randomUUID()
    await client.createRun({
      id,
      name: 'answer',
      run_type: 'llm',
      project_name: 'support',
      start_time: Date.now(),
      end_time: Date.now() + 10,
      inputs: {
        model: 'fake-model',
        messages: [
          { role: 'system', content: 'Answer as {"json": true}' },
          { role: 'user', content: [{ type: 'text', text: 'Sum it up' }, document] },
        ],
        tools,
        temperature: 0.3,
        logprobs: true,
      },
      outputs: { choices: [{ message: { role: 'assistant', content: 'A bad answer' } }] },
      extra: { metadata: { ls_provider: 'openai', ls_model_name: 'fake-model' } },
    })
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
      .toBe('answer')
    const page = await ui.open(`/go/${id}`)
    await page.getByRole('button', { name: 'Open in playground' }).waitFor()
    await page.keyboard.press('Shift+P')
    const a = variant(page)
    await a.waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('run')).toBe(id)
    expect(await message(a, 1).inputValue()).toBe('Answer as {"json": true}')
    await a.getByRole('button', { name: /2 parts taken over in another way/ }).click()
    await a.getByText(/A part “document” has no form here/).waitFor()
    await a.getByRole('button', { name: 'Tools: find' }).waitFor()
    await a.getByRole('button', { name: /Temperature 0.3, extra body/ }).waitFor()
    await expectAccessibleInThemes(page, 'a run that is not taken over completely')
    expectQuietConsole(page)

    await message(a, 1).fill('Answer in one short sentence.')
    await a.getByRole('button', { name: 'Run A' }).click()
    await a.getByText(ANSWER).waitFor()
    expect(playground.calls().at(-1)).toMatchObject({
      temperature: 0.3,
      logprobs: true,
      tools: [{ function: { name: 'find' } }],
    })

    await message(a, 1).press('Control+S')
    const dialog = page.getByRole('dialog', { name: 'Commit variant A' })
    await dialog.getByRole('combobox', { name: 'Prompt' }).fill('short-answer')
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Shorter')
    await dialog.getByRole('textbox', { name: 'Tag (optional)' }).fill('production')
    expectQuietConsole(page)
    await dialog.getByRole('button', { name: 'Create prompt' }).click()
    await dialog.waitFor({ state: 'detached' })
    const pulled = await client.pullPromptCommit('short-answer:production', { includeModel: true })
    expect(JSON.stringify(pulled.manifest)).toContain('Answer in one short sentence.')
    expect(JSON.stringify(pulled.manifest)).toContain('https://example.com/a.pdf')

    await a.getByRole('link', { name: /^short-answer:/ }).click()
    await page.getByRole('link', { name: 'Open in playground' }).click()
    await message(variant(page), 1).fill('Answer in two sentences.')
    await message(variant(page), 1).press('Control+S')
    const second = page.getByRole('dialog', { name: 'Commit variant A' })
    await second.getByRole('region', { name: 'Differences in Messages' }).getByText('two sentences').waitFor()
    await expectAccessibleInThemes(page, 'a commit with differences')
    expectQuietConsole(page)
    await second.getByRole('button', { name: 'Commit', exact: true }).click()
    await second.waitFor({ state: 'detached' })
    const newest = await client.pullPromptCommit('short-answer', { includeModel: true })
    expect(JSON.stringify(newest.manifest)).toContain('two sentences')
    expect(JSON.stringify(newest.manifest)).toContain('"logprobs":true')
  })
})

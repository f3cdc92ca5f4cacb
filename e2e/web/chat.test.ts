import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { expectQuietConsole, getConsoleMessages, openWorkspace, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter, type WrittenRun } from '../support/trace-writer.ts'

let ui: Ui
let runs: Record<keyof typeof CONVERSATIONS, WrittenRun>
let projectId: string
let agent: ReturnType<typeof anAgent>
beforeAll(async () => {
  ui = await openWorkspace()
  const writer = new TraceWriter(ui.server.url, 'chats')
  const entries = Object.entries(CONVERSATIONS).map(([name, said]) => [
    name,
    writer.add({ name, type: 'llm', ...said }),
  ])
  runs = Object.fromEntries(entries)
  agent = anAgent(writer)
  await writer.send()
  projectId = await projectIdOf(ui.server.url, 'chats')
})
afterAll(() => ui?.stop())

/** A model calls two tools, which run in their own node, and answers with their results. */
function anAgent(writer: TraceWriter) {
  const asks = [toolCall('a1', 'weather', { city: 'Oslo' }), toolCall('a2', 'weather', { city: 'Rome' })]
  const question = { role: 'user', content: 'Where is it warmer?' }
  const root = writer.add({ name: 'weather_agent', at: [0, 1000] })
  const asking = writer.add({
    ...{ parent: root, name: 'asking', type: 'llm', at: [10, 200] as [number, number] },
    inputs: { messages: [question] },
    outputs: { choices: [{ message: { role: 'assistant', content: null, tool_calls: asks } }] },
  })
  const node = writer.add({ parent: root, name: 'tools', at: [210, 500] })
  const tool = (id: string, at: [number, number], said: string) =>
    writer.add({
      ...{ parent: node, name: 'weather', type: 'tool', at },
      outputs: { output: { type: 'tool', content: said, tool_call_id: id } },
    })
  const rome = tool('a2', [220, 300], '24 degrees')
  const oslo = tool('a1', [230, 310], 'snow')
  const answering = writer.add({
    ...{ parent: root, name: 'answering', type: 'llm', at: [510, 900] as [number, number] },
    inputs: {
      messages: [
        question,
        { role: 'assistant', content: null, tool_calls: asks },
        { role: 'tool', tool_call_id: 'a1', content: 'snow' },
        { role: 'tool', tool_call_id: 'a2', content: '24 degrees' },
      ],
    },
    outputs: { choices: [{ message: { role: 'assistant', content: 'In Rome.' } }] },
  })
  return { root, asking, answering, rome, oslo }
}

function toolCall(id: string, name: string, args: object) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
}

async function open(name: keyof typeof CONVERSATIONS) {
  const foreign: string[] = []
  const page = await ui.open('/login')
  page.on('request', (request) => {
    // The PDF viewer of the browser consists of browser pages.
    if (!/^(data|blob|chrome-extension|chrome):/.test(request.url()) && !request.url().startsWith(ui.server.url))
      foreign.push(request.url())
  })
  await page.goto(`${ui.server.url}/o/${ui.tenant}/projects/p/${projectId}/r/${runs[name].id}?tab=chat`)
  await panel(page).getByRole('article').first().waitFor()
  return { page, foreign }
}
const panel = (page: Page) => page.getByRole('region', { name: 'Run details' })
const call = (page: Page, name: string) => panel(page).getByRole('region', { name: `Tool call ${name}` })

describe('a conversation', () => {
  it('shows tools, reasoning, media and line breaks', async () => {
    const { page, foreign } = await open('openai')
    await call(page, 'lookup').getByText('shipped on Monday').waitFor()
    expect(await panel(page).getByRole('article').filter({ hasText: /^tool/ }).count()).toBe(0)

    await panel(page).getByText('First line').waitFor()
    const broken = panel(page).locator('p', { hasText: 'First line' }).locator('br')
    await expect.poll(() => broken.count()).toBe(1)

    const reasoning = panel(page).getByRole('button', { name: /^Reasoning/ })
    expect(await reasoning.getAttribute('aria-expanded')).toBe('false')
    await reasoning.click()
    await panel(page).getByText('The order number is 88.').waitFor()

    const image = panel(page).getByRole('img', { name: 'image' })
    await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1)
    expect(await panel(page).locator('audio').count()).toBe(1)
    // One image is a block, one is in Markdown.
    await expect.poll(() => panel(page).getByRole('button', { name: 'Load image from evil.example' }).count()).toBe(2)
    await expectAccessibleInThemes(page, 'a conversation with media')
    expectQuietConsole(page)

    await page.keyboard.press('r')
    const raw = panel(page).getByRole('tree', { name: 'inputs and outputs' })
    await raw.getByText('12345678901234567890').waitFor()
    await page.keyboard.press('r')
    await call(page, 'lookup').waitFor()
    expect(foreign).toEqual([])
  })

  it.each([
    ['anthropic', 'Anthropic'],
    ['gemini', 'Gemini'],
    ['responses', 'OpenAI responses'],
    ['langchain', 'LangChain'],
  ] as const)('of %s is detected, with results below their calls', async (name, label) => {
    const { page } = await open(name)
    await panel(page).getByLabel('Format').getByText(`Auto (${label})`).waitFor({ state: 'attached' })
    await call(page, 'lookup').getByText('88').first().waitFor()
    await call(page, 'lookup').getByText('shipped').waitFor()
    await panel(page).getByText('It is on its way.').waitFor()
    expect(getConsoleMessages(page)).toEqual([])
  })

  it('uses the format selected for its project, and the detected format where that does not match', async () => {
    const { page } = await open('anthropic')
    const shape = panel(page).getByLabel('Format')
    await call(page, 'lookup').waitFor()
    await chooseOption(shape, 'Gemini')
    await panel(page).getByText('The selected format does not match this run.').waitFor()
    await page.reload()
    await call(page, 'lookup').waitFor()
    expect(await shape.textContent()).toBe('Gemini')
    await chooseOption(shape, 'Anthropic')
    await page.reload()
    await call(page, 'lookup').waitFor()
    expect(await shape.textContent()).toBe('Anthropic')
    expect(getConsoleMessages(page)).toEqual([])
  })

  it('leads from a tool call to the run that executed it', async () => {
    const page = await ui.open(`/o/${ui.tenant}/projects/p/${projectId}/r/${agent.asking.id}?v=tree&tab=chat`)
    const asked = call(page, 'weather')
    // No message of this run contains the results; they are the outputs of the tool runs.
    await asked.filter({ hasText: 'Rome' }).getByText('24 degrees').waitFor()
    await asked.filter({ hasText: 'Oslo' }).getByText('snow').waitFor()
    expectQuietConsole(page)

    await asked.filter({ hasText: 'Rome' }).getByRole('link', { name: 'Go to the run of weather' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toContain(agent.rome.id)
    await expect.poll(() => new URL(page.url()).searchParams.get('v')).toBe('tree')
    await page.goBack()
    await asked.first().waitFor()

    await page.goto(`${ui.server.url}/o/${ui.tenant}/projects/p/${projectId}/r/${agent.answering.id}?tab=chat`)
    await asked.filter({ hasText: 'Oslo' }).getByRole('link', { name: 'Go to the run of weather' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toContain(agent.oslo.id)
    expect(getConsoleMessages(page)).toEqual([])
  })

  it('shows text that looks like XML, folds its blocks, and switches to the text as it was recorded', async () => {
    const { page, foreign } = await open('xml')
    const article = (at: number) => panel(page).getByRole('article').nth(at)
    const read = (at: number) => article(at).innerText()
    const documents = article(0).getByRole('button', { name: '<documents>' })
    await documents.waitFor()
    await expect.poll(() => read(0)).toContain('Use <cite>tags</cite> and List<String>, 2*3*4.')
    for (const part of [
      '<documents>',
      '<document index="1">',
      'Freedonia is Sylvania.',
      '</document>',
      '</documents>',
    ]) {
      expect(await read(0)).toContain(part)
    }
    expect(await read(1)).toContain('<answer>Sylvania</answer>')
    await expectAccessibleInThemes(page, 'a conversation with sections and terminal colors')
    await documents.click()
    await expect.poll(() => read(0)).not.toContain('Freedonia')
    expect(await read(0)).toContain('</documents>')

    await article(0).getByRole('radio', { name: 'Text' }).click()
    await expect.poll(() => article(0).locator('p').innerText()).toBe(XML_PROMPT)
    await article(0).getByRole('button', { name: 'Copy message' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(XML_PROMPT)
    // The output of a program is text at first.
    expect(await article(2).getByRole('radio', { name: 'Text' }).getAttribute('aria-checked')).toBe('true')
    expect(await read(2)).toContain('FAILED test_a')
    expectQuietConsole(page)
    expect(foreign).toEqual([])
  })

  it('shows what is not a message as JSON with its digits, and other fields folded', async () => {
    const { page } = await open('half')
    const input = panel(page).getByRole('region', { name: 'Input', exact: true })
    await input.getByText('12345678901234567890').waitFor()
    await panel(page).getByText('All read.').waitFor()
    await panel(page).getByRole('button', { name: 'Other output fields id, usage' }).click()
    await panel(page).getByText('"prompt_tokens"').waitFor()
    await expectAccessibleInThemes(page, 'a conversation that is half JSON')
    expectQuietConsole(page)
  })

  it('shows a document on request', async () => {
    const { page, foreign } = await open('document')
    await panel(page).getByRole('button', { name: 'Show terms.pdf' }).click()
    const frame = panel(page).locator('iframe[title="terms.pdf"]')
    expect(await frame.getAttribute('src')).toMatch(/^blob:/)
    await panel(page).getByRole('button', { name: 'Hide terms.pdf' }).click()
    expect(await frame.count()).toBe(0)
    expect(foreign).toEqual([])
  })
})

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='
const PDF = Buffer.from('%PDF-1.1\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF').toString('base64')

const XML_PROMPT =
  'Answer.\n\n<documents>\n<document index="1">\nThe capital of Freedonia is Sylvania.\n</document>\n</documents>\n\nUse <cite>tags</cite> and List<String>, 2*3*4.'

const CONVERSATIONS = {
  xml: {
    inputs: {
      messages: [
        { role: 'user', content: XML_PROMPT },
        { role: 'assistant', content: '<thinking>\nshort\n</thinking>\n\n<answer>Sylvania</answer>' },
      ],
    },
    outputs: {
      choices: [
        {
          message: {
            role: 'assistant',
            content:
              '\u001b[1;31mFAILED\u001b[0m test_a\n\u001b[32mgreen\u001b[33myellow\u001b[34mblue\u001b[35mmagenta\u001b[36mcyan\u001b[90mgray',
          },
        },
      ],
    },
  },
  openai: {
    inputs: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Where is it?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
            { type: 'image_url', image_url: { url: 'https://evil.example/x.png' } },
            { type: 'input_audio', input_audio: { data: SILENCE, format: 'wav' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"order":88}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'shipped on Monday' },
      ],
      order: 'number:12345678901234567890',
    },
    outputs: {
      choices: [
        {
          message: {
            role: 'assistant',
            reasoning_content: 'The order number is 88.',
            content: 'First line\nSecond line\n\n![x](https://evil.example/y.png)',
          },
        },
      ],
    },
  },
  anthropic: {
    inputs: {
      system: 'Be kind.',
      messages: [
        { role: 'user', content: 'Where is it?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'lookup', input: { order: 88 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'shipped' }] },
      ],
    },
    outputs: { role: 'assistant', content: [{ type: 'text', text: 'It is on its way.' }] },
  },
  gemini: {
    inputs: {
      contents: [
        { role: 'user', parts: [{ text: 'Where is it?' }] },
        { role: 'model', parts: [{ functionCall: { name: 'lookup', args: { order: 88 } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'lookup', response: { state: 'shipped' } } }] },
      ],
    },
    outputs: { candidates: [{ content: { role: 'model', parts: [{ text: 'It is on its way.' }] } }] },
  },
  responses: {
    inputs: {
      instructions: 'Be kind.',
      input: [
        { role: 'user', content: 'Where is it?' },
        { type: 'function_call', call_id: 'f1', name: 'lookup', arguments: '{"order":88}' },
        { type: 'function_call_output', call_id: 'f1', output: 'shipped' },
      ],
    },
    outputs: {
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is on its way.' }] }],
    },
  },
  langchain: {
    inputs: {
      messages: [
        [
          { lc: 1, type: 'constructor', id: ['langchain', 'HumanMessage'], kwargs: { content: 'Where is it?' } },
          {
            lc: 1,
            type: 'constructor',
            id: ['langchain', 'AIMessage'],
            kwargs: { content: '', tool_calls: [{ id: 'l1', name: 'lookup', args: { order: 88 } }] },
          },
          {
            lc: 1,
            type: 'constructor',
            id: ['langchain', 'ToolMessage'],
            kwargs: { content: 'shipped', tool_call_id: 'l1' },
          },
        ],
      ],
    },
    outputs: {
      generations: [
        [
          {
            text: 'It is on its way.',
            message: { lc: 1, type: 'constructor', id: ['AIMessage'], kwargs: { content: 'It is on its way.' } },
          },
        ],
      ],
    },
  },
  half: {
    inputs: { rows: ['number:12345678901234567890'] },
    outputs: {
      id: 'chatcmpl-1',
      choices: [{ message: { role: 'assistant', content: 'All read.' } }],
      usage: { prompt_tokens: 3 },
    },
  },
  document: {
    inputs: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What does it say?' },
            {
              type: 'file',
              file: { filename: 'terms.pdf', file_data: `data:application/pdf;base64,${PDF}` },
            },
          ],
        },
      ],
    },
    outputs: { choices: [{ message: { role: 'assistant', content: 'Nothing.' } }] },
  },
}

import { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { readDownload } from '../support/read-download.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

const SCHEMA = {
  type: 'object',
  properties: { question: { type: 'string' }, score: { type: 'number' } },
  required: ['question'],
}

describe('files of a dataset', () => {
  let ui: Ui
  let client: Client
  beforeAll(async () => {
    ui = await openWorkspace()
    client = new Client({ apiUrl: `${ui.server.url}/api/v1`, apiKey: 'none', autoBatchTracing: false })
  })
  afterAll(() => ui?.stop())

  const pathOf = (id: string) => `/o/${ui.tenant}/datasets/${id}`
  const contentOf = async (datasetId: string) => {
    const contents: unknown[] = []
    for await (const { inputs, outputs, metadata } of client.listExamples({ datasetId })) {
      contents.push({ inputs, outputs: outputs ?? null, metadata })
    }
    return contents.map((content) => JSON.stringify(content)).sort()
  }

  it('imports CSV with three bad rows, one of them fixed, and undoes exactly the import', async () => {
    const dataset = await client.createDataset('import-csv', { inputsSchema: SCHEMA })
    await client.createExample({ dataset_id: dataset.id, inputs: { question: 'Here before', score: 1 } })
    const page = await ui.open(pathOf(dataset.id), { theme: 'dark' })
    await chooseFile(page, 'rows.csv', [
      'question,answer,split,topic,score',
      '"How do I reset, or ""change"", it?",Open Settings,test,auth,0.5',
      'What is this?,A test,train,meta,high',
      'only one cell',
      'And this?,Also,train,meta,1',
      '"never closed,x,test,auth,1',
    ])
    expect(await page.getByLabel('question becomes').textContent()).toBe('Inputs')
    expect(await page.getByLabel('split becomes').textContent()).toBe('Split')
    expect(await page.getByLabel('topic becomes').textContent()).toBe('Metadata')
    await chooseOption(page.getByLabel('score is read as'), 'Number')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Check rows' }).click()

    const problems = page.getByRole('region', { name: 'Rows with problems' })
    await problems.getByText('score: “high” is not a number').waitFor()
    await problems.getByText('has 1 cell, the header has 5').waitFor()
    await problems.getByText('has a quote that is not closed').waitFor()
    await page.getByText('2 rows are ready to import').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download these rows' }).click(),
    ])
    expect(await readDownload(download)).toContain('What is this?,A test,train,meta,high,score:')

    await page.getByRole('button', { name: 'Fix row 3' }).click()
    await page.getByLabel('score').fill('0.75')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Save row' }).click()
    await page.getByRole('button', { name: 'Import 3 examples' }).click()
    await page.getByText('3 examples imported', { exact: true }).waitFor()
    await page.getByText('2 rows were skipped.').waitFor()
    await expectAccessibleInThemes(page, 'a finished import')
    expectQuietConsole(page)
    expect(await contentOf(dataset.id)).toHaveLength(4)
    expect(await contentOf(dataset.id)).toContain(
      JSON.stringify({
        inputs: { question: 'What is this?', score: 0.75 },
        outputs: { answer: 'A test' },
        metadata: { topic: 'meta', dataset_split: ['train'] },
      }),
    )

    await page.getByRole('button', { name: 'Undo import' }).click()
    await page.getByText('The imported examples were removed').waitFor()
    expect(await contentOf(dataset.id)).toEqual([expect.stringContaining('Here before')])
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.getByText('Here before').waitFor()
  })

  it('checks rows against the schema, and imports JSONL in the order of the file', async () => {
    const dataset = await client.createDataset('import-jsonl', { inputsSchema: SCHEMA })
    const page = await ui.open(pathOf(dataset.id))
    const lines = Array.from({ length: 2_500 }, (_, index) => `{"question":"Question ${index}","score":${index}}`)
    await chooseFile(page, 'rows.jsonl', ['{"question":5}', ...lines])
    await page.getByRole('button', { name: 'Check rows' }).click()
    await page.getByText(/inputs\.question: Instance type "number" is invalid/).waitFor()
    await page.getByRole('button', { name: 'Import 2,500 examples' }).click()
    await page.getByText('2,500 examples imported', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.getByText('Question 0', { exact: true }).waitFor()
    const first = await client.queryExamples({ dataset: dataset.id, order: 'recently_created', limit: 2 })
    expect(first.map(({ inputs }) => inputs.question)).toEqual(['Question 0', 'Question 1'])
    const last = await client.queryExamples({ dataset: dataset.id, order: 'recently_created', offset: 2_499, limit: 1 })
    expect(last.map(({ inputs }) => inputs.question)).toEqual(['Question 2499'])
  })

  it.each(['CSV', 'JSONL'])('exports %s that imports as the same examples', async (format) => {
    const source = await client.createDataset(`source-${format}`)
    await client.createExamples([
      { dataset_id: source.id, inputs: { q: 'plain, with "quotes"\nand lines', n: 1.5 }, outputs: { a: 'yes' } },
      { dataset_id: source.id, inputs: { q: '123', n: '123' }, outputs: { a: 'true' }, split: ['test', 'hard'] },
      {
        dataset_id: source.id,
        inputs: { q: '', n: null, deep: { list: [1, { x: '' }] } },
        metadata: { topic: 'auth' },
      },
      { dataset_id: source.id, inputs: { q: '=HYPERLINK("x")' }, outputs: { a: '' } },
    ])
    const page = await ui.open(pathOf(source.id))
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('radio', { name: format, exact: true }).click()
    expectQuietConsole(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click(),
    ])
    const text = await readDownload(download)

    const target = await client.createDataset(`target-${format}`)
    await page.goto(ui.server.url + pathOf(target.id))
    await chooseFile(page, download.suggestedFilename(), [text])
    await page.getByRole('button', { name: 'Check rows' }).click()
    await page.getByRole('button', { name: 'Import 4 examples' }).click()
    await page.getByText('4 examples imported', { exact: true }).waitFor()
    expect(await contentOf(target.id)).toEqual(await contentOf(source.id))
  })

  it('lists the examples that do not fit fine-tuning, with reasons, on a phone', async () => {
    const dataset = await client.createDataset('fine-tuning')
    const messages = [{ role: 'user', content: 'hi' }]
    await client.createExamples([
      { dataset_id: dataset.id, inputs: { messages }, outputs: { role: 'assistant', content: 'hello' } },
      { dataset_id: dataset.id, inputs: { messages } },
      { dataset_id: dataset.id, inputs: { a: 'x', b: 'y' }, outputs: { role: 'assistant', content: 'hello' } },
    ])
    const page = await ui.open(pathOf(dataset.id), { size: PHONE })
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('radio', { name: 'OpenAI fine-tuning' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByText('2 of 3 examples do not fit and are left out').waitFor()
    await page.getByText('there are no reference outputs, so there is no answer').waitFor()
    await page.getByText('the inputs are neither messages nor one text').waitFor()
    await expectAccessibleInThemes(page, 'examples that do not fit fine-tuning')
    expectQuietConsole(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download 1 that fit' }).click(),
    ])
    const line = JSON.parse(await readDownload(download))
    expect(line).toEqual({ messages: [...messages, { role: 'assistant', content: 'hello' }] })
  })

  it('creates a dataset from a file', async () => {
    const page = await ui.open(`/o/${ui.tenant}/datasets`)
    await page
      .getByRole('button', { name: /(New|Create) dataset/ })
      .first()
      .click()
    await page.getByRole('radio', { name: 'From a file' }).click()
    const buffer = Buffer.from('question,answer\nWhy?,Because\n')
    await page.getByLabel('File').setInputFiles({ name: 'faq.csv', mimeType: 'text/csv', buffer })
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('faq')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Create and map columns' }).click()
    await page.getByRole('button', { name: 'Check rows' }).click()
    await page.getByRole('button', { name: 'Import 1 example' }).click()
    await page.getByText('1 example imported', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.getByText('Because').waitFor()
    await page.getByRole('heading', { name: 'faq' }).waitFor()
  })

  it('leaves out what only the server can refuse, and names it', async () => {
    const message = { $ref: 'https://api.smith.langchain.com/public/schemas/v1/message.json' }
    const inputsSchema = { type: 'object', properties: { message } }
    const dataset = await client.createDataset('server-check', { inputsSchema })
    const page = await ui.open(pathOf(dataset.id))
    const row = (role: unknown) => JSON.stringify({ message: { role, content: 'hi' } })
    await chooseFile(page, 'a.jsonl', [row('user'), row(5), row('assistant')])
    await page.getByRole('button', { name: 'Check rows' }).click()
    await page.getByRole('button', { name: 'Import 3 examples' }).click()
    await page.getByText('2 examples imported', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show skipped rows' }).click()
    await page.getByText('Row 2', { exact: true }).waitFor()
    await page.getByText(/inputs\.message/).waitFor()
    await page.getByRole('button', { name: 'Fix row 2' }).click()
    await page.getByRole('textbox', { name: 'JSON of the row' }).fill(row('system'))
    await page.getByRole('button', { name: 'Save row' }).click()
    await page.getByRole('button', { name: 'Import 1 example' }).click()
    await page.getByText('3 examples imported', { exact: true }).waitFor()
    expect(await contentOf(dataset.id)).toHaveLength(3)
  })

  it('shows hostile content of a file as text', async () => {
    const dataset = await client.createDataset('hostile-file')
    const page = await ui.open(pathOf(dataset.id))
    const attack = '<img src=x onerror=alert(1)>'
    await chooseFile(page, 'a.jsonl', [JSON.stringify({ [attack]: attack, other: 1 }), `{"${attack}`])
    await page.getByLabel(`${attack} becomes`).waitFor()
    await page.getByRole('button', { name: 'Check rows' }).click()
    await page.getByText(/is not JSON/).waitFor()
    expect(await page.locator('img[src="x"]').count()).toBe(0)
    expectQuietConsole(page)
  })
})

async function chooseFile(page: Page, name: string, lines: readonly string[]) {
  await page.getByRole('button', { name: 'Import' }).click()
  const buffer = Buffer.from(lines.join('\n'))
  await page.getByLabel('File to import').setInputFiles({ name, mimeType: 'text/plain', buffer })
  await page.getByRole('table', { name: 'Columns' }).waitFor()
}

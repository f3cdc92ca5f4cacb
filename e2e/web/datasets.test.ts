import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { callApi } from '../support/seed-queue.ts'
import { DESKTOP, expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

const SCHEMA = {
  type: 'object',
  required: ['question'],
  properties: { question: { type: 'string' }, level: { type: 'integer' } },
}

describe('the examples of a dataset', () => {
  let ui: Ui
  let client: Client
  let datasetId: string
  let path: string
  beforeAll(async () => {
    ui = await openWorkspace()
    client = new Client({ apiUrl: `${ui.server.url}/api/v1` })
    const dataset = await client.createDataset('qa-golden', { inputsSchema: SCHEMA })
    datasetId = dataset.id
    path = `/o/${ui.tenant}/datasets/${datasetId}`
    await client.createExamples(
      Array.from({ length: 420 }, (_, at) => ({
        dataset_id: datasetId,
        inputs: { question: `How do I reset password ${at}?`, level: at },
        outputs: { answer: `Open settings ${at}`, sources: [{ page: at }] },
        metadata: { topic: at % 2 === 0 ? 'auth' : 'billing' },
        split: at % 10 === 0 ? ['test'] : ['train'],
      })),
    )
  })
  afterAll(() => ui?.stop())

  it('shows columns from the data, and loads what is scrolled to', async () => {
    const page = await ui.open(path)
    for (const name of ['Input.question', 'Input.level', 'Reference.answer', 'Split', 'Metadata.topic']) {
      await page.getByRole('columnheader', { name, exact: true }).waitFor()
    }
    await page.getByText('420 examples').waitFor()
    await page.getByRole('row', { name: /How do I reset password 0\?/ }).waitFor()
    await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ top: 1e9 }))
    await page.getByRole('row', { name: /How do I reset password 419\?/ }).waitFor()
    expectQuietConsole(page)
  })

  it('searches, filters by split and metadata, and keeps this in the URL', async () => {
    const page = await ui.open(path, { theme: 'dark' })
    await page.getByText('420 examples').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('password 12')
    await page.getByText('11 matching examples').waitFor()
    await page.getByRole('button', { name: 'All splits' }).click()
    await page.getByRole('menuitemradio', { name: 'test' }).click()
    await page.getByText('1 matching example', { exact: true }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('split')).toBe('test')
    await page.goBack()
    await page.getByText('11 matching examples').waitFor()
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByLabel('Metadata key').fill('topic')
    await page.getByLabel('Value').fill('auth')
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByText('6 matching examples').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toBe('eq(metadata.topic, "auth")')
    await page.reload()
    await page.getByText('6 matching examples').waitFor()
    expectQuietConsole(page)
  })

  it('shows an old version read-only', async () => {
    const page = await ui.open(`${path}?as_of=latest`)
    await page.getByText('read-only').waitFor()
    await page.getByText('420 examples').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await page.getByRole('button', { name: 'Show the latest version' }).click()
    await page.getByRole('checkbox', { name: 'Select example 1', exact: true }).waitFor()
  })

  it('is a list of cards on a phone', async () => {
    const page = await ui.open(path, { size: PHONE, theme: 'dark' })
    await page.getByText('420 examples').waitFor()
    await page.getByText('Open settings 0').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })

  it('edits an example as JSON: the schema names the line, Ctrl+S saves, the history shows the change', async () => {
    const page = await ui.open(`${path}?q=password%20100`, { theme: 'dark' })
    await page.getByRole('row', { name: /password 100/ }).click()
    const panel = page.getByRole('complementary', { name: 'Example' })
    const inputs = panel.getByRole('textbox', { name: 'Inputs' })
    await replaceText(page, inputs, '{\n  "question": "How?",\n  "level": "high"\n}')
    await panel.getByText('Line 3: Instance type "string" is invalid. Expected "integer".').waitFor()
    await expectAccessibleInThemes(page, 'an example that violates its schema')
    expectQuietConsole(page)
    await replaceText(page, inputs, '{\n  "question": "How, exactly?",\n  "level": 12345678901234567890\n}')
    await panel.getByText('Unsaved changes').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Example saved').waitFor()
    const stored = await (await fetch(`${ui.server.url}/api/v1/examples/${peekOf(page)}`)).text()
    expect(stored).toContain('12345678901234567890')

    await panel.getByRole('radio', { name: 'History' }).click()
    await panel.getByText('How, exactly?').waitFor()
    await panel.getByText('latest change').waitFor()
    expectQuietConsole(page)
  })

  it('shows both texts when another tab has saved the example, and loses neither', async () => {
    const open = async (size = DESKTOP) => {
      const page = await ui.open(`${path}?q=password%20107`, { size })
      await page.getByText('password 107').first().click()
      const panel = page.getByRole('complementary', { name: 'Example' })
      await panel.getByRole('textbox', { name: 'Inputs' }).waitFor()
      const write = (question: string) =>
        replaceText(page, panel.getByRole('textbox', { name: 'Inputs' }), JSON.stringify({ question, level: 1 }))
      return { page, panel, write, conflict: panel.getByRole('alert', { name: 'Changed elsewhere' }) }
    }
    const [first, second, third] = [await open(), await open(), await open()]
    const id = peekOf(first.page)
    const question = async () => (await client.readExample(id)).inputs.question
    await second.write('How, asks the second tab?')
    await third.write('How, asks the third tab?')
    await first.write('How, asks the first tab?')
    await first.page.keyboard.press('Control+s')
    await first.page.getByText('Example saved').waitFor()

    await second.page.keyboard.press('Control+s')
    await second.conflict.waitFor()
    expect(await question()).toBe('How, asks the first tab?')
    await second.conflict.getByRole('figure', { name: 'Saved meanwhile' }).getByText('asks the first tab').waitFor()
    await second.conflict.getByRole('figure', { name: 'Yours' }).getByText('asks the second tab').waitFor()
    await expectAccessibleInThemes(second.page, 'the conflict of two tabs')
    await second.write('How, ask both tabs?')
    await second.conflict.getByRole('figure', { name: 'Yours' }).getByText('ask both tabs').waitFor()
    await second.conflict.getByRole('button', { name: 'Save mine' }).click()
    await second.page.getByText('Example saved').waitFor()
    await second.conflict.waitFor({ state: 'detached' })
    expect(await question()).toBe('How, ask both tabs?')

    await third.page.keyboard.press('Control+s')
    await third.conflict.getByRole('button', { name: 'Take what was saved' }).click()
    await third.conflict.waitFor({ state: 'detached' })
    await third.panel.getByText('ask both tabs').waitFor()
    expect(await third.panel.getByText('Unsaved changes').count()).toBe(0)
    expect(await question()).toBe('How, ask both tabs?')
  })

  it('shows both descriptions when another tab has saved the settings of the dataset', async () => {
    const page = await ui.open(`${path}/settings`)
    await page.getByLabel('Description').fill('My description')
    await client.updateDataset({ datasetId, description: 'Their description' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const conflict = page.getByRole('alert', { name: 'Changed elsewhere' })
    await conflict.getByRole('figure', { name: 'Saved meanwhile' }).getByText('Their description').waitFor()
    await conflict.getByRole('figure', { name: 'Yours' }).getByText('My description').waitFor()
    expect((await client.readDataset({ datasetId })).description).toBe('Their description')
    await expectAccessibleInThemes(page, 'the conflict of two settings')
    await conflict.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved the dataset').waitFor()
    expect((await client.readDataset({ datasetId })).description).toBe('My description')
  })

  it('shows that the server refused an example, and keeps its text', async () => {
    const page = await ui.open(`${path}?q=password%20101`)
    await page.getByRole('row', { name: /password 101/ }).click()
    const panel = page.getByRole('complementary', { name: 'Example' })
    await replaceText(page, panel.getByRole('textbox', { name: 'Inputs' }), '{"question": "How?", "level": "high"}')
    await page.keyboard.press('Control+s')
    await panel.getByRole('alert').getByText('Could not save the example').waitFor()
    await panel.getByText('1 problem').waitFor()
    await panel.getByRole('button', { name: 'Discard' }).click()
    await panel.getByText('1 problem').waitFor({ state: 'detached' })
  })

  it('edits an example in a form, with a split and an attachment', async () => {
    const page = await ui.open(`${path}?q=password%20102`)
    await page.getByRole('row', { name: /password 102/ }).click()
    const panel = page.getByRole('complementary', { name: 'Example' })
    await panel.getByRole('radio', { name: 'Form' }).click()
    await panel.getByLabel('question (required)').fill('From the form?')
    await panel.getByLabel('Add to a split').fill('hard')
    await panel.getByRole('button', { name: 'Add', exact: true }).click()
    await panel.getByLabel('Add files').setInputFiles({ name: 'pixel.png', mimeType: 'image/png', buffer: PIXEL })
    await panel.getByText('added with the next save').waitFor()
    await expectAccessibleInThemes(page, 'an example with a new file')
    expectQuietConsole(page)
    await panel.getByRole('button', { name: /^Save/ }).click()
    await page.getByText('Example saved').waitFor()
    await panel.getByRole('img', { name: 'pixel.png' }).waitFor()
    const example = await client.readExample(peekOf(page))
    expect(example.inputs).toEqual({ question: 'From the form?', level: 102 })
    expect(example.metadata?.dataset_split).toEqual(['train', 'hard'])
    await panel.getByRole('radio', { name: 'JSON', exact: true }).click()
  })

  it('edits values in their cells with Alt Enter, and opens the example for others', async () => {
    const page = await ui.open(path)
    await page.getByRole('row', { name: /How do I reset password 7\?/ }).waitFor()
    await page.getByRole('row', { name: /How do I reset password 7\?/ }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Alt+Enter')
    const editor = page.getByRole('dialog', { name: 'Edit level' })
    const level = editor.getByLabel('level')
    await expect.poll(() => level.inputValue()).toBe('7')
    await level.fill('seven')
    await editor.getByText('This is not a number.').waitFor()
    await level.fill('77')
    await expectAccessibleInThemes(page, 'a cell editor')
    expectQuietConsole(page)
    await page.keyboard.press('Enter')
    await page.getByText('Saved level').waitFor()
    await page.getByRole('row', { name: /password 7\? 77/ }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('row')

    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Alt+Enter')
    await page.getByRole('dialog', { name: 'Edit sources' }).getByText('Edit it in the example.').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Example' }).waitFor()
    const [stored] = await callApi<{ inputs: object }[]>(
      ui.server,
      'GET',
      `/examples?dataset=${datasetId}&full_text_contains=${encodeURIComponent('password 7?')}`,
    )
    expect(stored?.inputs).toEqual({ question: 'How do I reset password 7?', level: 77 })
  })

  it('creates an example by keyboard, and deletes it with undo', async () => {
    const page = await ui.open(path)
    await page.getByText('420 examples').waitFor()
    await page.keyboard.press('n')
    const panel = page.getByRole('complementary', { name: 'Example' })
    const inputs = panel.getByRole('textbox', { name: 'Inputs' })
    await inputs.getByText('question').waitFor()
    await replaceText(page, inputs, '{"question": "A new one?"}')
    await page.keyboard.press('Control+s')
    await page.getByText('Example created').waitFor()
    await page.getByText('421 examples').waitFor()
    const id = peekOf(page)
    await panel.getByRole('button', { name: 'Delete the example' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Example deleted').waitFor({ state: 'detached' })
    expect((await client.readExample(id)).inputs).toEqual({ question: 'A new one?' })
    await page.getByRole('row', { name: /A new one\?/ }).click()
    await panel.getByRole('button', { name: 'Delete the example' }).click()
    await page.getByText('420 examples').waitFor({ timeout: 15_000 })
    expectQuietConsole(page)
  })

  it('changes splits and metadata of selected examples, copies and deletes them', async () => {
    const page = await ui.open(`${path}?q=password%2011`, { theme: 'dark' })
    await page.getByText('11 matching examples').waitFor()
    await page.getByRole('checkbox', { name: 'Select example 1', exact: true }).check()
    const bar = page.getByRole('region', { name: 'Selected examples' })
    await bar.getByRole('button', { name: 'Select all 11' }).click()
    await bar.getByText('11 selected').waitFor()
    expectQuietConsole(page)
    await page.keyboard.press('s')
    await page.getByLabel('To the split').fill('reviewed')
    await page.getByRole('button', { name: 'Change splits' }).click()
    await page.getByText('11 examples changed').waitFor()
    await bar.getByRole('button', { name: 'Metadata' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Key', exact: true }).fill('checked')
    await dialog.getByRole('textbox', { name: 'Value' }).fill('true')
    await page.getByText('Stored as true').waitFor()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Set metadata' }).click()
    await expect.poll(() => client.countExamples({ dataset: datasetId, filter: 'eq(metadata.checked, true)' })).toBe(11)
    expect(await client.countExamples({ dataset: datasetId, splits: ['reviewed'] })).toBe(11)
    await bar.getByRole('button', { name: 'Copy to dataset' }).click()
    await page.getByLabel('To the dataset').fill('copies')
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('11 examples copied to copies').waitFor()
    const copies = await client.readDataset({ datasetName: 'copies' })
    expect(copies.example_count).toBe(11)

    await page.goto(`${ui.server.url}/o/${ui.tenant}/datasets/${copies.id}`)
    await page.getByText('11 examples').waitFor()
    await page.getByRole('checkbox', { name: 'Select example 1', exact: true }).check()
    const downloads = page.waitForEvent('download')
    await bar.getByRole('button', { name: 'Export' }).click()
    expect((await downloads).suggestedFilename()).toBe('examples.jsonl')
    await bar.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('10 examples').waitFor({ timeout: 15_000 })
    expectQuietConsole(page)
  })

  it('has a page per example, also at a version', async () => {
    const [example] = await client.queryExamples({ dataset: datasetId, limit: 1, full_text_contains: ['password 103'] })
    const page = await ui.open(`/datasets/${datasetId}/e/${example!.id}`)
    await page.waitForURL(`**${path}/e/${example!.id}`)
    await page.getByRole('textbox', { name: 'Inputs' }).getByText('password 103').waitFor()
    expect(await page.title()).toContain('qa-golden')
    await page.getByRole('radio', { name: 'Runs' }).click()
    await page.getByText('No runs yet').waitFor()
    await page.goto(`${ui.server.url}${path}/e/${example!.id}?as_of=latest`)
    await page.getByText('read-only').waitFor()
    expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0)
    expectQuietConsole(page)
  })
})

type Page = Awaited<ReturnType<Ui['open']>>

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

function peekOf(page: Page): string {
  return new URL(page.url()).searchParams.get('peek') ?? ''
}

/** Replaces the text of a JSON field as a user does. */
async function replaceText(page: Page, field: ReturnType<Page['getByRole']>, text: string) {
  // Until the code of the editor is loaded, the field is a read-only text area.
  await expect.poll(() => field.getAttribute('contenteditable'), { timeout: 15_000 }).toBe('true')
  await field.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

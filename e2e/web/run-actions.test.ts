import { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { readDownload } from '../support/read-download.ts'
import { expectQuietConsole, openWorkspace, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter, type WrittenRun } from '../support/trace-writer.ts'

let ui: Ui
let client: Client
beforeAll(async () => {
  ui = await openWorkspace()
  client = new Client({ apiUrl: `${ui.server.url}/api/v1` })
})
afterAll(() => ui?.stop())

async function givenTrace(project: string) {
  const writer = new TraceWriter(ui.server.url, project)
  const root = writer.add({
    name: 'chain',
    at: [0, 500],
    inputs: { question: "It's when?", order: 'number:12345678901234567890' },
    outputs: { answer: 'Soon.', trail: [1] },
  })
  const model = writer.add({
    parent: root,
    name: 'ChatModel',
    type: 'llm',
    at: [10, 400],
    inputs: { messages: [{ role: 'user', content: "It's when?" }] },
    outputs: { choices: [{ message: { role: 'assistant', content: 'Soon.' } }] },
    extra: { metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4o-mini' } },
  })
  await writer.send()
  return { root, model, projectId: await projectIdOf(ui.server.url, project) }
}

const open = async (projectId: string, run: WrittenRun) => {
  const page = await ui.open(`/o/${ui.tenant}/projects/p/${projectId}/r/${run.id}`)
  await page.getByRole('heading', { name: run.name }).last().waitFor()
  return page
}
const act = async (page: Page, action: string) => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
const dialog = (page: Page) => page.getByRole('dialog')
const focusedLabel = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document
    const labels = activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement
    return labels ? activeElement.labels?.[0]?.querySelector('span')?.textContent : undefined
  })

describe('a run', () => {
  it('becomes an example of a new dataset with unchanged values', async () => {
    const { root, projectId } = await givenTrace('whole')
    const page = await open(projectId, root)
    await page.keyboard.press('Shift+D')
    await dialog(page).getByLabel('Dataset', { exact: true }).fill('golden')
    await dialog(page).getByText('A new one will be created').waitFor()
    expectQuietConsole(page)
    await dialog(page).getByRole('button', { name: 'Add example' }).click()
    await page.getByText('Added to golden').waitFor()

    const { id } = await client.readDataset({ datasetName: 'golden' })
    const stored = await (await fetch(`${ui.server.url}/api/v1/examples?dataset=${id}`)).text()
    expect(stored).toContain('12345678901234567890')
    expect(JSON.parse(stored)).toMatchObject([{ source_run_id: root.id, outputs: { answer: 'Soon.', trail: [1] } }])
  })

  it('becomes an example with some of its keys, edited before it is saved', async () => {
    const { root, projectId } = await givenTrace('keys')
    await client.createDataset('picked')
    const page = await open(projectId, root)
    await page.getByRole('button', { name: 'Add to dataset' }).click()
    await dialog(page).getByLabel('Dataset', { exact: true }).fill('picked')
    await dialog(page).getByRole('radio', { name: 'Selected keys' }).click()
    await dialog(page).getByRole('checkbox', { name: 'order' }).uncheck()
    await dialog(page).getByRole('checkbox', { name: 'trail' }).uncheck()
    const outputs = dialog(page).getByLabel('Reference outputs')
    await outputs.fill('{ "answer": ')
    await dialog(page).getByRole('alert').waitFor()
    expect(await dialog(page).getByRole('button', { name: 'Add example' }).isDisabled()).toBe(true)
    await outputs.fill('{ "answer": "On Monday." }')
    await dialog(page).getByRole('button', { name: 'Add example' }).click()
    await page.getByText('Added to picked').waitFor()
    const [example] = await client.queryExamples({ dataset: (await client.readDataset({ datasetName: 'picked' })).id })
    expect(example).toMatchObject({ inputs: { question: "It's when?" }, outputs: { answer: 'On Monday.' } })
    expect(example!.inputs).not.toHaveProperty('order')
  })

  it('becomes an example with a corrected answer by keyboard: Enter goes on, Ctrl+Enter saves', async () => {
    const { root, projectId } = await givenTrace('corrected')
    const page = await open(projectId, root)
    await page.getByRole('button', { name: 'Add to dataset' }).click()
    await dialog(page).getByLabel('Dataset', { exact: true }).fill('corrections')
    await page.getByText('A new one will be created').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => focusedLabel(page)).toBe('Split')
    await page.keyboard.press('Enter')
    await expect.poll(() => focusedLabel(page)).toBe('Inputs')
    expect(await client.queryDatasets({ name: 'corrections' })).toEqual([])
    await dialog(page).getByLabel('Reference outputs').fill('{ "answer": "On Tuesday." }')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Added to corrections').waitFor()
    const { id } = await client.readDataset({ datasetName: 'corrections' })
    const [example] = await client.queryExamples({ dataset: id })
    expect(example).toMatchObject({ source_run_id: root.id, outputs: { answer: 'On Tuesday.' } })

    await page.getByRole('button', { name: 'Add to dataset' }).click()
    await dialog(page).getByText('This run is already in the dataset.').waitFor()
    await expectAccessibleInThemes(page, 'a run that is in the dataset already')
    expectQuietConsole(page)
    const link = dialog(page).getByRole('link', { name: 'Open its example' })
    expect(await link.getAttribute('href')).toContain(`/datasets/${id}/e/${example!.id}`)
  })

  it('gets and loses a tag without other changes', async () => {
    const { root, projectId } = await givenTrace('tagged')
    const stored = async () => (await fetch(`${ui.server.url}/api/v1/runs/${root.id}`)).text()
    const before = await stored()
    const page = await open(projectId, root)
    const tags = page.getByRole('list', { name: 'Tags' })
    for (const tag of ['seen', 'for later']) {
      await tags.getByRole('button', { name: 'Tag', exact: true }).focus()
      await page.keyboard.press('Enter')
      await page.keyboard.type(tag)
      await page.keyboard.press('Enter')
      await tags.getByRole('link', { name: tag }).waitFor()
      await page.getByText(`Added tag ${tag}`).waitFor()
    }
    await expect.poll(async () => JSON.parse(await stored()).tags).toEqual(['seen', 'for later'])
    const after = await stored()
    const readInputs = (text: string) => /"inputs":.*?"order":\d+/s.exec(text)?.[0]
    expect(readInputs(after)).toBe(readInputs(before))
    expect(JSON.parse(after)).toMatchObject({
      outputs: { answer: 'Soon.', trail: [1] },
      end_time: JSON.parse(before).end_time,
    })
    expectQuietConsole(page)

    await tags.getByRole('button', { name: 'Remove tag seen' }).click()
    await expect.poll(() => tags.getByRole('link').allTextContents()).toEqual(['for later'])
    await page.getByRole('status').filter({ hasText: 'Removed tag seen' }).getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => tags.getByRole('link').allTextContents()).toEqual(['seen', 'for later'])
    await expect.poll(async () => JSON.parse(await stored()).tags).toEqual(['seen', 'for later'])

    await tags.getByRole('link', { name: 'seen' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toBe('has(tags, "seen")')
    await page.locator(`[data-row="${root.id}"]`).waitFor()
  })

  it('links to runs of the same prompt commit and with the same metadata', async () => {
    const { root, model, projectId } = await givenTrace('prompted')
    const other = new TraceWriter(ui.server.url, 'prompted')
    const metadata = { lc_hub_owner: 'acme', lc_hub_repo: 'greeting', lc_hub_commit_hash: '0123456789abcdef' }
    const prompted = other.add({ name: 'prompted', extra: { metadata } })
    await other.send()
    const page = await open(projectId, prompted)
    await page.getByRole('link', { name: 'acme/greeting:01234567' }).click()
    await page.locator(`[data-row="${prompted.id}"]`).waitFor()
    expect(await page.locator(`[data-row="${root.id}"]`).count()).toBe(0)

    await page.goto(`${ui.server.url}/o/${ui.tenant}/projects/p/${projectId}/r/${model.id}?tab=metadata`)
    await page.getByRole('link', { name: 'ls_provider openai' }).click()
    await page.locator(`[data-row="${model.id}"]`).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('filter')).toContain('"ls_provider"')
    expectQuietConsole(page)
  })

  it('opens with the view settings of the project: collapsed and raw', async () => {
    const writer = new TraceWriter(ui.server.url, 'remembered')
    const said = { messages: [{ role: 'user', content: 'Hello' }], options: { deep: { value: 1 } } }
    const [first, second] = ['first', 'second'].map((name) => writer.add({ name, type: 'llm', inputs: said }))
    await writer.send()
    const projectId = await projectIdOf(ui.server.url, 'remembered')
    const page = await open(projectId, first!)
    const json = page.getByRole('tree', { name: 'inputs and outputs' })
    await page.getByRole('article').first().waitFor()
    await page.keyboard.press('r')
    await json.getByText('deep:').click()
    await expect.poll(() => json.getByText('value:').count()).toBe(0)

    await page.goto(`${ui.server.url}/o/${ui.tenant}/projects/p/${projectId}/r/${second!.id}?tab=chat`)
    await json.getByText('deep:').waitFor()
    expect(await json.getByText('value:').count()).toBe(0)
    await page.keyboard.press('r')
    await page.getByRole('article').first().waitFor()
    expectQuietConsole(page)
  })

  it('is added to an annotation queue', async () => {
    const { root, projectId } = await givenTrace('queued')
    const page = await open(projectId, root)
    await page.keyboard.press('Shift+Q')
    await dialog(page).getByLabel('Queue').fill('Triage')
    await dialog(page).getByRole('button', { name: 'Add run' }).click()
    await page.getByText('Added to Triage').waitFor()
    const { value: queue } = await client.listAnnotationQueues({ name: 'Triage' }).next()
    expect(await client.getSizeFromAnnotationQueue(queue!.id)).toEqual({ size: 1 })
  })

  it('is copied as a model call in three languages', async () => {
    const { model, projectId } = await givenTrace('copied')
    const page = await open(projectId, model)
    await act(page, 'Copy as code')
    const code = dialog(page).getByRole('region', { name: 'Code' })
    await code.getByText('https://api.openai.com/v1/chat/completions').waitFor()
    await dialog(page).getByRole('radio', { name: 'Python' }).click()
    await code.getByText('from openai import OpenAI').waitFor()
    await dialog(page).getByRole('radio', { name: 'Record the run again' }).click()
    await dialog(page).getByRole('button', { name: 'Copy as Python' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('client.create_run(**{')
    expectQuietConsole(page)
  })

  it('is exported with its trace, as JSON without changes and as Markdown', async () => {
    const { root, model, projectId } = await givenTrace('exported')
    const page = await open(projectId, model)
    const save = async (format: string) => {
      await act(page, 'Export trace')
      await dialog(page).getByRole('radio', { name: format }).click()
      const coming = page.waitForEvent('download')
      await dialog(page).getByRole('button', { name: 'Export 2 runs' }).click()
      const file = await coming
      return readDownload(file)
    }
    const json = await save('JSON')
    expect(json).toContain('12345678901234567890')
    expect((JSON.parse(json) as { runs: { id: string }[] }).runs.map(({ id }) => id)).toEqual([root.id, model.id])
    const markdown = await save('Markdown')
    expect(markdown).toMatch(/^# chain\n/)
    expect(markdown).toContain('## ChatModel')
    expect(markdown).toContain("**user**\n\n> It's when?")
  })

  it('is deleted with its trace after the number of runs is typed', async () => {
    const { model, projectId } = await givenTrace('deleted')
    const page = await open(projectId, model)
    await act(page, 'Delete trace')
    const confirm = dialog(page).getByRole('button', { name: 'Delete trace' })
    await dialog(page).getByRole('textbox').fill('1')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog(page).getByRole('textbox').fill('2')
    await confirm.click()
    await page.waitForURL(new RegExp(`/projects/p/${projectId}(\\?|$)`))
    await page.getByText('2 runs deleted').waitFor()
    const { runs } = await client.queryRuns({ session: [projectId] })
    expect(runs).toEqual([])
  })
})

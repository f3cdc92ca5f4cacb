import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { focused, tabTo } from '../support/keyboard.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

describe('the versions of a dataset', () => {
  let ui: Ui
  let client: Client
  beforeAll(async () => {
    ui = await openWorkspace()
    client = new Client({ apiUrl: `${ui.server.url}/api/v1`, apiKey: 'none', autoBatchTracing: false })
  })
  afterAll(() => ui?.stop())

  /** Three examples; then one is edited, one is deleted and one is added. */
  async function seed(name: string, inputsSchema?: Record<string, unknown>) {
    const dataset = await client.createDataset(name, inputsSchema && { inputsSchema })
    const [first, second] = await client.createExamples([
      { dataset_id: dataset.id, inputs: { question: 'How do I reset my password?' }, outputs: { answer: 'Call us' } },
      { dataset_id: dataset.id, inputs: { question: 'What does it cost?' }, outputs: { answer: 'Nothing' } },
      { dataset_id: dataset.id, inputs: { question: 'Who are you?' } },
    ])
    const { as_of } = await client.readDatasetVersion({ datasetId: dataset.id, tag: 'latest' })
    await client.updateExample({ id: first!.id, dataset_id: dataset.id, outputs: { answer: 'Open Settings' } })
    await client.deleteExample(second!.id)
    await client.createExample({ dataset_id: dataset.id, inputs: { question: 'Is it new?' } })
    return { dataset, asOf: as_of, path: `/o/${ui.tenant}/datasets/${dataset.id}` }
  }
  const questionsOf = async (datasetId: string) => {
    const questions: string[] = []
    for await (const { inputs } of client.listExamples({ datasetId })) questions.push(String(inputs.question))
    return questions.sort()
  }

  it('shows a burst as one change, opens it, and compares any two versions by field', async () => {
    const { asOf, path } = await seed('timeline')
    const page = await ui.open(`${path}/versions?from=${encodeURIComponent(asOf)}`)
    await page.getByText('1 added, 1 modified, 1 removed').waitFor()
    await page.getByRole('article', { name: 'outputs.answer' }).getByText('Open Settings').waitFor()
    expect(await page.getByRole('article').count()).toBe(1)
    await page.getByRole('button', { name: /What does it cost/ }).click()
    await page.getByRole('article', { name: 'inputs' }).getByText('What does it cost?').waitFor()
    expectQuietConsole(page)

    await page.getByText('+4 ~1 -1').waitFor()
    await page.getByRole('button', { name: '4 versions in this burst' }).click()
    await page.getByRole('button', { name: /1 removed/ }).click()
    await page.getByText('0 added, 0 modified, 1 removed').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('to')).not.toBeNull()
    await page.reload()
    await page.getByText('0 added, 0 modified, 1 removed').waitFor()
    await page.goBack()
    await page.getByText('1 added, 1 modified, 1 removed').waitFor()
  })

  it('tags a version, and asks before the tag moves', async () => {
    const { dataset, asOf, path } = await seed('tags')
    await client.updateDatasetTag({ datasetId: dataset.id, asOf, tag: 'prod' })
    const page = await ui.open(`${path}/versions`, { theme: 'dark' })
    await page.getByRole('button', { name: /prod/ }).waitFor()
    await page
      .getByRole('button', { name: /^Actions of the version of/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'Tag…' }).click()
    await page.getByRole('textbox', { name: 'Tag' }).fill('prod')
    await page.keyboard.press('Enter')
    await page.getByText(/prod is on the version of/).waitFor()
    await expectAccessibleInThemes(page, 'moving a tag')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Move tag' }).click()
    await page.getByText('Moved prod').waitFor()
    const tagged = () => client.readDatasetVersion({ datasetId: dataset.id, tag: 'prod' })
    expect((await tagged()).as_of).not.toBe(asOf)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await tagged()).as_of).toBe(asOf)
  })

  it('opens a version read-only and restores it as one new version', async () => {
    const { dataset, asOf, path } = await seed('restore')
    const page = await ui.open(`${path}?as_of=${encodeURIComponent(asOf)}`)
    await page.getByText(/read-only/).waitFor()
    await page.getByText('What does it cost?').waitFor()
    await page.getByRole('button', { name: 'Restore these examples' }).click()
    await page.getByText('The dataset gets one new version: 1 added, 1 modified, 1 removed.').waitFor()
    await expectAccessibleInThemes(page, 'restoring a version')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('Restored: 1 added, 1 modified, 1 removed').waitFor()
    expect(await questionsOf(dataset.id)).toEqual(['How do I reset my password?', 'What does it cost?', 'Who are you?'])
    const diff = await client.diffDatasetVersions({ datasetId: dataset.id, fromVersion: asOf, toVersion: 'latest' })
    expect([diff.examples_added, diff.examples_removed]).toEqual([[], []])
  })

  it('are made, tagged, compared and opened by keyboard alone', async () => {
    const schema = { type: 'object', properties: { question: { type: 'string' } } }
    const { dataset, path } = await seed('keyboard', schema)
    const page = await ui.open(path)
    await page.getByText('3 examples').first().waitFor()

    // The schema names the line of a mistake; the corrected text is saved.
    await page.locator('[role=grid] [data-row]').first().waitFor()
    await page.keyboard.press('j')
    await page.locator('[role=grid] [data-row][data-active]').waitFor()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Example' })
    // A plain field is there first, while the code of the editor is loaded.
    await panel.locator('.cm-content[aria-label="Inputs"]').waitFor()
    await tabTo(page, /^Inputs$/)
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('{\n  "question": 5\n}')
    await panel.getByText(/^Line 2: .*Expected "string"/).waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('{"question": "Is it newer?"}')
    await page.keyboard.press('Control+s')
    await page.getByText('Example saved').waitFor()
    await page.keyboard.press('Escape') // leaves the text
    await page.keyboard.press('Escape') // closes the panel
    await panel.waitFor({ state: 'detached' })

    await tabTo(page, /^Versions$/)
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Timeline' }).waitFor()
    await tabTo(page, /^Actions of the version of/)
    await page.keyboard.press('Enter')
    await page.keyboard.press('t')
    await expect.poll(() => focused(page)).toBe('Tag…')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('Tag')
    await page.keyboard.type('reviewed')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /reviewed/ }).waitFor()
    const [latest, reviewed] = await Promise.all(
      ['latest', 'reviewed'].map((tag) => client.readDatasetVersion({ datasetId: dataset.id, tag })),
    )
    expect(reviewed?.as_of).toBe(latest?.as_of)

    await tabTo(page, /versions in this burst$/)
    await page.keyboard.press('Enter')
    await tabTo(page, /1 removed/)
    await page.keyboard.press('Enter')
    await page.getByText('0 added, 0 modified, 1 removed').waitFor()
    await tabTo(page, /^Actions of the version of/)
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Open examples (read-only)' }).waitFor()
    await page.keyboard.press('o')
    await expect.poll(() => focused(page)).toBe('Open examples (read-only)')
    await page.keyboard.press('Enter')
    await page.waitForURL(/as_of=/)
    await page.getByText(/read-only/).waitFor()
    expectQuietConsole(page)
  })

  it('works on a phone', async () => {
    const { path } = await seed('phone')
    const page = await ui.open(`${path}/versions`, { size: PHONE })
    await page.getByText('1 added, 0 modified, 0 removed').waitFor()
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })

  it('has an explanation while there is no version', async () => {
    const dataset = await client.createDataset('no-versions')
    const page = await ui.open(`/o/${ui.tenant}/datasets/${dataset.id}/versions`)
    await page.getByText('No versions yet').waitFor()
    expectQuietConsole(page)
  })
})

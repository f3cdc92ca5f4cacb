import { randomUUID } from 'node:crypto'
import { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { readDownload } from '../support/read-download.ts'
import { inFull } from '../support/scale.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter } from '../support/trace-writer.ts'

let ui: Ui
let client: Client
beforeAll(async () => {
  ui = await openWorkspace()
  client = new Client({ apiUrl: `${ui.server.url}/api/v1` })
})
afterAll(() => ui?.stop())

/** Traces of one run each. Runs named `bad` have inputs that violate the schema. */
async function aProject(name: string, traces: number, bad: readonly number[] = []): Promise<string> {
  const writer = new TraceWriter(ui.server.url, name, Date.now() - 60_000 - traces)
  for (let n = 0; n < traces; n++) {
    const inputs = bad.includes(n) ? { question: n } : { question: `What is ${n}?` }
    writer.add({ name: n % 2 === 0 ? 'even' : 'odd', at: [n, n + 1], inputs, outputs: { answer: `It is ${n}.` } })
  }
  await writer.send()
  return projectIdOf(ui.server.url, name)
}

const runsPath = (projectId: string, search = '') => `/o/${ui.tenant}/projects/p/${projectId}?t=7d&live=off${search}`
const bar = (page: Page) => page.getByRole('region', { name: 'Selected runs' })
const dialog = (page: Page) => page.getByRole('dialog')
const toasts = (page: Page) => page.getByRole('region', { name: 'Notifications' })
const LONG = { timeout: 300_000 }

async function openJobs(page: Page) {
  await page.getByRole('contentinfo').getByRole('button').last().click()
  return page.getByRole('list', { name: 'Jobs' })
}
const examplesOf = async (datasetName: string) => (await client.readDataset({ datasetName })).example_count

describe('bulk actions on runs', () => {
  it('add all matching runs to a dataset, list failures, undo it, and delete the runs after their number is typed', async () => {
    // More than one block of each kind of work, which are of 500 and of 1,000 runs.
    const total = inFull(1_202, 12_402)
    const bad = [7, total / 2, total - 1]
    const all = total.toLocaleString('en-US')
    const good = (total - bad.length).toLocaleString('en-US')
    const projectId = await aProject('bulk', total, bad)
    const schema = { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] }
    await client.createDataset('golden', { inputsSchema: schema })

    const page = await ui.open(runsPath(projectId))
    await page.getByRole('row').nth(3).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await bar(page).getByText('1 selected').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+X')
    await bar(page).getByText('3 selected').waitFor()
    await page.keyboard.press('Control+A')
    await bar(page)
      .getByText(/^(50|100|150) selected/)
      .waitFor() // all that were loaded, not all there are
    await bar(page)
      .getByRole('button', { name: new RegExp(`^Select all ~${all} matching`) })
      .click()
    await bar(page).getByText(`All ~${all} matching`).waitFor()
    expect(await page.getByRole('checkbox', { checked: false }).count()).toBe(0)
    await expectAccessibleInThemes(page, 'all matching runs')
    expectQuietConsole(page)

    await page.keyboard.press('d')
    await dialog(page)
      .getByRole('button', { name: `Add ${all} runs` })
      .waitFor()
    expect(await dialog(page).getByRole('region', { name: 'Sample' }).getByRole('listitem').count()).toBe(5)
    await dialog(page).getByLabel('Dataset', { exact: true }).fill('golden')
    expectQuietConsole(page)
    await dialog(page)
      .getByRole('button', { name: `Add ${all} runs` })
      .click()
    await toasts(page).getByText(`${good} of ${all} done, 3 failed`).waitFor(LONG)
    expect(await examplesOf('golden')).toBe(total - bad.length)

    const jobs = await openJobs(page)
    await jobs.getByRole('button', { name: '3 failed' }).click()
    await expect.poll(() => jobs.getByText('inputs.question: must be string').count()).toBe(3)
    await expectAccessibleInThemes(page, 'jobs with failures')
    expectQuietConsole(page)
    await jobs.getByRole('button', { name: 'Undo' }).click()
    await toasts(page).getByText(`Undo added examples: ${good} of ${good} done`).waitFor(LONG)
    expect(await examplesOf('golden')).toBe(0)
    await page.keyboard.press('Escape')

    await bar(page).getByRole('button', { name: 'Delete' }).click()
    const go = dialog(page).getByRole('button', { name: `Delete ${all} traces` })
    await go.waitFor()
    expect(await go.isDisabled()).toBe(true)
    await dialog(page).getByRole('textbox').fill(String(total))
    expectQuietConsole(page)
    await go.click()
    await toasts(page).getByText(`Delete traces: ${all} of ${all} done`).waitFor(LONG)
    await page.getByText('0 rows').waitFor()
    expect((await client.countBulk({ action: 'delete', session: [projectId] })).runs).toBe(0)
  }, 900_000)

  it('export the filtered runs as a file that downloads without a key', async () => {
    const projectId = await aProject('exported', 120)
    const filter = encodeURIComponent('eq(name, "odd")')
    const page = await ui.open(runsPath(projectId, `&filter=${filter}`), { theme: 'dark' })
    await page.getByRole('row').nth(3).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await bar(page).getByRole('button', { name: 'Select all ~60 matching' }).click()
    await bar(page).getByRole('button', { name: 'Export' }).click()
    await dialog(page).getByText('CSV', { exact: true }).click()
    expectQuietConsole(page)
    await dialog(page)
      .getByRole('button', { name: /^Export \d+ runs/ })
      .click()
    await toasts(page).getByText('The export is ready').waitFor(LONG)
    const jobs = await openJobs(page)
    await expectAccessibleInThemes(page, 'jobs with a file')
    expectQuietConsole(page)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      jobs
        .getByRole('link', { name: /^Download/ })
        .first()
        .click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^runs-[\d-]+\.csv$/)
    const text = await readDownload(file)
    expect(text).toContain('What is 11?')
    expect(text).not.toContain('What is 12?')
    expect(text.trimEnd().split('\n')).toHaveLength(61) // a head, and each odd run
  }, 120_000)

  it('add only the selected keys to a dataset', async () => {
    const projectId = await aProject(`picked ${randomUUID()}`, 3)
    const page = await ui.open(runsPath(projectId))
    await page.locator('[data-row]').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Control+A')
    await bar(page).getByText('3 selected').waitFor()
    await page.keyboard.press('d')
    await dialog(page).getByLabel('Dataset', { exact: true }).fill('picked')
    await dialog(page).getByRole('radio', { name: 'Selected keys' }).click()
    const inputs = dialog(page).getByRole('group', { name: 'Input keys' })
    expect(await inputs.getByRole('checkbox', { name: 'question' }).isChecked()).toBe(true)
    await dialog(page).getByRole('group', { name: 'Output keys' }).getByRole('checkbox').first().uncheck()
    expectQuietConsole(page)
    await dialog(page).getByRole('button', { name: 'Add 3 runs' }).click()
    await toasts(page)
      .getByText(/3 of 3 done/)
      .waitFor(LONG)
    const examples = await client.queryExamples({ dataset: (await client.readDataset({ datasetName: 'picked' })).id })
    expect(examples.map(({ outputs }) => outputs)).toEqual([{}, {}, {}])
    expect(examples.map(({ inputs }) => Object.keys(inputs!))).toEqual([['question'], ['question'], ['question']])
  }, 120_000)

  it('add runs to an annotation queue, and fit a phone', async () => {
    const projectId = await aProject(`phone ${randomUUID()}`, 3)
    const page = await ui.open(runsPath(projectId), { size: PHONE })
    await page.locator('[data-row]').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await bar(page).getByText('1 selected').waitFor()
    await bar(page).getByRole('button', { name: 'Queue' }).click()
    await dialog(page).getByLabel('Queue', { exact: true }).fill('to review')
    expectQuietConsole(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width)
    await dialog(page).getByRole('button', { name: 'Add 1 run' }).click()
    await toasts(page).getByText('Add to queue: 1 of 1 done').waitFor(LONG)
  }, 120_000)
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { expectQuietConsole, type OpenOptions, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter, type WrittenRun } from '../support/trace-writer.ts'

let ui: Ui
beforeAll(async () => {
  ui = await openWorkspace()
  const configs = [
    { feedback_key: 'correctness', feedback_config: { type: 'continuous', min: 0, max: 1 } },
    {
      feedback_key: 'tone',
      feedback_config: {
        type: 'categorical',
        categories: [
          { value: 1, label: 'friendly' },
          { value: 0, label: 'rude' },
        ],
      },
    },
  ]
  for (const config of configs) await post('/feedback-configs', config)
})
afterAll(() => ui?.stop())

async function post(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${ui.server.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
}

async function feedbackOn(run: WrittenRun): Promise<Record<string, unknown>[]> {
  return (await (await fetch(`${ui.server.url}/api/v1/feedback?run=${run.id}`)).json()) as Record<string, unknown>[]
}

async function givenRun(project: string): Promise<WrittenRun> {
  const writer = new TraceWriter(ui.server.url, project)
  const run = writer.add({ name: 'answer', inputs: { question: 'When?' }, outputs: { answer: 'Soon.' } })
  await writer.send()
  return run
}

const pathOf = async (project: string, rest: string) =>
  `/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, project)}${rest}`
const open = async (project: string, run: WrittenRun, options?: OpenOptions) =>
  ui.open(await pathOf(project, `/r/${run.id}?tab=feedback`), options)
const record = (page: Page, key: string) => page.getByRole('article', { name: `Feedback ${key}` })
const form = (page: Page) => page.getByRole('form', { name: 'New feedback' })

describe('feedback on a run', () => {
  it('is given by keyboard: a key, a score, a comment', async () => {
    const run = await givenRun('by-keys')
    const page = await ui.open(await pathOf('by-keys', `/r/${run.id}`))
    await page.getByRole('heading', { name: 'answer' }).first().waitFor()
    await page.keyboard.press('a')
    await form(page).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('0.75')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Too vague.')
    await page.keyboard.press('Control+Enter')
    await record(page, 'correctness').getByText('0.75').waitFor()
    await record(page, 'correctness').getByText('Too vague.').waitFor()
    await form(page).waitFor({ state: 'detached' })
    expect(await feedbackOn(run)).toMatchObject([
      { key: 'correctness', score: 0.75, comment: 'Too vague.', feedback_source: { type: 'app' } },
    ])
    expectQuietConsole(page)
  })

  it('follows the definition of its key', async () => {
    const run = await givenRun('by-config')
    const page = await open('by-config', run)
    await page.getByRole('button', { name: 'Add feedback' }).click()
    await form(page).getByLabel('Exact score').fill('7')
    await form(page).getByRole('button', { name: 'Save' }).click()
    await page.getByText('The score must be at most 1.').waitFor()
    await form(page).getByLabel('Key').fill('tone')
    await form(page).getByRole('button', { name: 'friendly' }).click()
    await form(page).getByRole('button', { name: 'Save' }).click()
    await record(page, 'tone').getByText('friendly').waitFor()
    expect(await feedbackOn(run)).toMatchObject([{ key: 'tone', score: 1, value: 'friendly' }])
  })

  it('includes a note, which is edited, deleted and restored by undo', async () => {
    const run = await givenRun('noted')
    const page = await open('noted', run)
    await page.getByRole('textbox', { name: 'Note' }).fill('Ask legal.')
    await page.getByRole('button', { name: 'Add note' }).click()
    await record(page, 'note').getByText('Ask legal.').waitFor()

    await record(page, 'note').getByRole('button', { name: 'Edit note' }).click()
    await page.getByRole('form', { name: 'Edit note' }).getByLabel('Comment').fill('Legal agrees.')
    await page.keyboard.press('Control+Enter')
    await record(page, 'note').getByText('Legal agrees.').waitFor()

    await record(page, 'note').getByRole('button', { name: 'Delete note' }).click()
    await expect.poll(() => record(page, 'note').count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await record(page, 'note').getByText('Legal agrees.').waitFor()

    await record(page, 'note').getByRole('button', { name: 'Delete note' }).click()
    await expect.poll(() => feedbackOn(run), { timeout: 15_000 }).toEqual([])
  })

  it('corrects the score of an evaluator, which is then marked as corrected', async () => {
    const project = 'corrected'
    const run = await givenRun(project)
    const judge = await givenRun('judges')
    const feedback_source = { type: 'model', metadata: { __run: { run_id: judge.id } } }
    await post('/feedback', { run_id: run.id, key: 'correctness', score: 0, comment: 'Wrong.', feedback_source })
    const page = await ui.open(await pathOf(project, `?cols=name,feedback&peek=${run.id}&tab=feedback`))
    const row = page.getByRole('row').filter({ hasText: 'answer' })
    await row.getByTitle('correctness 0.00').waitFor()

    await record(page, 'correctness').getByRole('button', { name: 'Correct correctness' }).click()
    const change = page.getByRole('form', { name: 'Edit correctness' })
    await change.getByLabel('Exact score').fill('1')
    await change.getByRole('button', { name: 'Correct' }).click()
    await record(page, 'correctness').getByText('Corrected').waitFor()
    await row.getByTitle('correctness 1.00').waitFor()
    expect(await feedbackOn(run)).toMatchObject([
      { score: 1, correction: { score: 1, original: { score: 0 } }, feedback_source: { type: 'model' } },
    ])
    await expectAccessibleInThemes(page, 'corrected feedback')
    expectQuietConsole(page)

    await page.reload()
    await record(page, 'correctness').getByText('Corrected').waitFor()
    await record(page, 'correctness').getByRole('link', { name: 'Evaluator trace' }).click()
    await page.waitForURL(`**/r/${judge.id}**`)
  })

  it('fits a phone', async () => {
    const run = await givenRun('on-a-phone')
    const page = await open('on-a-phone', run, { size: PHONE })
    await page.getByRole('button', { name: 'Add feedback' }).click()
    await form(page).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { copied, copyButtons, runProgram } from '../support/follow-screen.ts'
import { expectQuietConsole, startUi, type Ui } from '../support/start-ui.ts'

const NAMES = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Ken', 'Frances', 'John']

const rows = (page: Page, grid: string) => page.getByRole('grid', { name: grid }).locator('[data-row]')
const bar = (page: Page) => page.getByRole('region', { name: 'Selected runs' })
const dialog = (page: Page) => page.getByRole('dialog')

describe('a newcomer who evaluates', () => {
  let ui: Ui
  beforeAll(async () => {
    ui = await startUi()
  })
  afterAll(() => ui?.stop())

  it('gets from runs to a dataset, two experiments, a verdict and a reviewed queue by following the screen', async () => {
    const page = await ui.open('/')
    await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
    const { environment, program } = await copySnippets(page)
    await runProgram(environment, program.replace('print(greet("Touchstone"))', callEach('greet', NAMES)))
    await page.getByText('First trace received:').waitFor()

    // Runs of the project become examples.
    await page.getByRole('link', { name: 'Projects', exact: true }).first().click()
    await page.getByRole('link', { name: 'default', exact: true }).click()
    await expect.poll(() => rows(page, 'Traces').count()).toBe(NAMES.length)
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).check()
    await bar(page).getByRole('button', { name: 'Add to dataset' }).click()
    await dialog(page).getByLabel('Dataset', { exact: true }).fill('greetings')
    await dialog(page)
      .getByRole('button', { name: `Add ${NAMES.length} runs` })
      .click()
    await page.getByText(`Add to dataset: ${NAMES.length} of ${NAMES.length} done`).waitFor()
    await openFromJobs(page, 'Open dataset')
    await page.getByText(`${NAMES.length} examples`).waitFor()
    expectQuietConsole(page)

    // The program of the page runs as it is; a better one follows.
    await page.getByRole('link', { name: 'Experiments', exact: true }).click()
    await page.getByRole('heading', { name: 'Run your first experiment' }).waitFor()
    const first = await copySnippets(page)
    await runProgram(first.environment, first.program)
    await expect.poll(() => rows(page, 'Experiments').count()).toBe(1)
    const better = first.program.replace(/return .*str\(inputs\).*/, `return {"output": f"Hello, {inputs['name']}!"}`)
    await runProgram(first.environment, better.replace('"first"', '"second"'))
    await expect.poll(() => rows(page, 'Experiments').count()).toBe(2)
    expectQuietConsole(page)

    await page.getByRole('checkbox', { name: /^Select first-/ }).check()
    await page.getByRole('checkbox', { name: /^Select second-/ }).check()
    await page.getByRole('button', { name: 'Compare 2' }).click()
    await page.getByText(`${NAMES.length} of ${NAMES.length} examples`).first().waitFor()
    await page.getByRole('radio', { name: 'Summary' }).click()
    await page
      .getByRole('article', { name: /^second-/ })
      .getByText(`better: +1.00`)
      .waitFor()
    expectQuietConsole(page)

    // Three of the runs are reviewed.
    await page.getByRole('link', { name: 'Projects', exact: true }).first().click()
    await page.getByRole('link', { name: 'default', exact: true }).click()
    for (let at = 0; at < 3; at++) await rows(page, 'Traces').nth(at).getByRole('checkbox').check()
    await bar(page).getByRole('button', { name: 'Queue' }).click()
    await dialog(page).getByLabel('Queue', { exact: true }).fill('Triage')
    await dialog(page).getByRole('button', { name: 'Add 3 runs' }).click()
    await page.getByText('Add to queue: 3 of 3 done').waitFor()
    await openFromJobs(page, 'Open queue')
    await page.getByRole('radio', { name: 'Waiting for me 3' }).waitFor()
    expectQuietConsole(page)
    await addQuestion(page)
    await review(page, 3)
  }, 300_000)
})

/** The environment and the program of a page with snippets. */
async function copySnippets(page: Page) {
  const environment = await copied(page, () => copyButtons(page).nth(0).click())
  const program = await copied(page, () => copyButtons(page).nth(1).click())
  return { environment, program }
}

const callEach = (name: string, values: readonly string[]) =>
  `for value in ${JSON.stringify(values)}:\n    print(${name}(value))`

async function openFromJobs(page: Page, link: string) {
  await page.getByRole('contentinfo').getByRole('button', { name: 'Jobs' }).click()
  await page.getByRole('list', { name: 'Jobs' }).getByRole('link', { name: link }).first().click()
}

/** Gives the queue a question and opens its review. */
async function addQuestion(page: Page) {
  await page.getByRole('link', { name: 'Settings', exact: true }).last().click()
  await page.getByRole('button', { name: 'Add question' }).click()
  await page.getByRole('textbox', { name: '1. Feedback key' }).fill('polite')
  await chooseOption(page.getByRole('combobox', { name: 'Answer' }), 'One of several options')
  await page.getByLabel('Options, one per line: score = meaning').fill('0 = rude\n1 = polite')
  await page.getByLabel('Required').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved the queue').waitFor()
  expectQuietConsole(page)
  await page.getByRole('link', { name: 'Review', exact: true }).click()
}

/** Reviews all items by keyboard. */
async function review(page: Page, count: number) {
  await page.getByRole('form', { name: 'Review' }).waitFor()
  expectQuietConsole(page)
  for (let number = 1; number <= count; number++) {
    await page.getByRole('button', { name: 'polite', exact: true }).waitFor()
    await page.keyboard.press('2')
    await page.getByText('Saved', { exact: true }).first().waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('status', { name: 'Progress' }).getByText(`${number} / ${count}`).waitFor()
  }
  const summary = page.getByRole('region', { name: 'Summary' })
  await summary.getByRole('heading', { name: 'Nothing left to review' }).waitFor()
  await summary.getByText(`${count} / ${count}`).waitFor()
  await expectAccessibleInThemes(page, 'a finished review')
  expectQuietConsole(page)
  await page.keyboard.press('Escape')
  await page.waitForURL(/\/annotation-queues\/[^/]+$/)
}

import { Client, uuid7 } from '@touchstone/sdk'
import { evaluate } from '@touchstone/sdk/evaluation'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { LURES } from '../support/hostile-corpus.ts'
import { type SeededComparison, seedComparison } from '../support/seed-comparison.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

const LONG = Array.from({ length: 1200 }, (_, at) => `word${at}`).join(' ')

describe('the comparison of experiments', () => {
  let ui: Ui
  let seeded: SeededComparison
  beforeAll(async () => {
    ui = await openWorkspace()
    seeded = await seedComparison({
      url: ui.server.url,
      dataset: 'qa-golden',
      examples: 30,
      experiments: ['support-v4', 'support-v5', 'support-v6'],
      // Against the first: the second is worse on every fifth example and better on the one after it.
      score: (experiment, example) => {
        if (experiment === 1) return example % 5 === 0 ? 0 : 1
        return experiment === 0 && example % 5 === 1 ? 0 : 1
      },
      isFailed: (experiment, example) => experiment === 2 && example === 2,
      output: (experiment, example) =>
        example === 0
          ? { answer: experiment === 0 ? `${LONG} old end` : `${LONG} new end` }
          : { answer: `Answer ${example + 1} of ${experiment}` },
    })
  })
  afterAll(() => ui?.stop())

  const compare = (search = '', ids: readonly string[] = seeded.experimentIds) =>
    `/o/${ui.tenant}/datasets/${seeded.datasetId}/compare?selectedSessions=${ids.join(',')}${search}`
  const rows = (page: Page) => page.getByRole('grid', { name: 'Comparison' }).locator('[data-row]')
  /** Rows out of view are not mounted, so the grid tells how many there are, with its header. */
  const expectCount = (page: Page, count: number) =>
    expect.poll(() => page.getByRole('grid', { name: 'Comparison' }).getAttribute('aria-rowcount')).toBe(`${count + 1}`)
  const header = (page: Page, name: string) => page.getByRole('article', { name })

  it('shows answers, scores and counts that filter the rows', async () => {
    const page = await ui.open(compare())
    await page.getByText('Answer 2 of 0').waitFor()
    await header(page, 'support-v5').getByRole('button', { name: '6 worse' }).click()
    await expect.poll(() => rows(page).count()).toBe(6)
    await page.getByText('6 of 30 examples').first().waitFor()
    await header(page, 'support-v5').getByRole('button', { name: '6 better' }).click()
    await expectCount(page, 12)
    await page.getByRole('button', { name: 'All splits' }).click()
    await page.getByRole('menuitemradio', { name: 'hard' }).click()
    await expect.poll(() => rows(page).count()).toBe(6)
    await page.reload()
    await expect.poll(() => rows(page).count()).toBe(6)
    await page.goBack()
    await expectCount(page, 12)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('30 of 30 examples').waitFor()
    await page.getByRole('button', { name: 'Errors', exact: true }).click()
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.getByText('RateLimitError: 429').waitFor()
    expectQuietConsole(page)
  })

  it('filters by the metadata of the examples, together with other filters, and keeps it in the URL', async () => {
    const page = await ui.open(compare())
    await page.getByText('Answer 2 of 0').waitFor()
    await page.getByRole('button', { name: 'Metadata', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Filter by metadata' })
    await form.getByLabel('Metadata key').fill('topic')
    await form.getByLabel('Value').fill('auth')
    await form.getByRole('button', { name: 'Add condition' }).click()
    await page.getByText('10 of 30 examples').first().waitFor()
    await header(page, 'support-v5').getByRole('button', { name: '6 worse' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
    await page.reload()
    await expect.poll(() => rows(page).count()).toBe(2)
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('30 of 30 examples').waitFor()
  })

  it('marks the words that differ from the baseline at the end of a long output', async () => {
    const page = await ui.open(compare('&diff=baseline&layout=focus', seeded.experimentIds.slice(0, 2)))
    const answer = page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'support-v5' }) })
    await expect.poll(() => answer.locator('mark').allTextContents()).toEqual(['old', 'new'])
    await page.keyboard.press('i')
    await page.getByRole('button', { name: 'Differences Off' }).waitFor()
    await expectAccessibleInThemes(page, 'differences in long texts')
    expectQuietConsole(page)
  })

  it('is read by keyboard: cells, regressions, focus, run', async () => {
    const page = await ui.open(compare('', seeded.experimentIds.slice(0, 2)))
    await page.getByText('Answer 2 of 0').waitFor()
    const example = () => seeded.exampleIds.indexOf(new URL(page.url()).searchParams.get('ex') ?? '')
    await page.keyboard.press('n')
    await expect.poll(example).toBe(0)
    await page.keyboard.press('n')
    await expect.poll(example).toBe(5)
    await page.keyboard.press('Shift+N')
    await expect.poll(example).toBe(0)
    await page.keyboard.press('j')
    await expect.poll(example).toBe(1)
    await page.keyboard.press('Enter')
    await page.getByText('Example 2 of 30').waitFor()
    await page.keyboard.press('k')
    await page.getByText('Example 1 of 30').waitFor()
    await page.keyboard.press('Enter')
    await rows(page).first().waitFor()
    await page.keyboard.press('o')
    await page.getByRole('complementary', { name: 'Run' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('peek')).toBe(seeded.runIds[1]![0])
    await page.keyboard.press('Escape')
    await page.getByRole('complementary', { name: 'Run' }).waitFor({ state: 'detached' })
    await page.keyboard.press('b')
    await page.getByRole('button', { name: 'Baseline support-v5' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('number 7?')
    await expect.poll(() => rows(page).count()).toBe(1)
    expectQuietConsole(page)
  })

  it("shows the evaluator's reasoning and corrects a score in place", async () => {
    const page = await ui.open(compare('&show=worse', seeded.experimentIds.slice(0, 2)))
    const chip = rows(page)
      .first()
      .getByRole('button', { name: /correctness 0.00/ })
    await chip.click()
    const popover = page.getByRole('dialog', { name: 'Feedback correctness' })
    await popover.getByText('The answer misses the reference.').waitFor()
    await popover.getByRole('button', { name: 'Correct correctness' }).click()
    await popover.getByLabel('Score').fill('1')
    expectQuietConsole(page)
    await popover.getByRole('button', { name: 'Correct', exact: true }).click()
    await popover.getByText('Corrected').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => rows(page).count()).toBe(5)
    await header(page, 'support-v5').getByRole('button', { name: '5 worse' }).waitFor()
  })

  it('filters by a score range, sorts by the difference, and downloads what is shown', async () => {
    const page = await ui.open(compare('', seeded.experimentIds.slice(0, 2)))
    await page.getByText('Answer 2 of 0').waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Add a filter' })
    await chooseOption(form.getByLabel('Experiment'), 'support-v4')
    await form.getByLabel('To', { exact: true }).fill('0.5')
    await form.getByRole('button', { name: 'Add filter' }).click()
    await page.keyboard.press('Escape')
    await page.getByText('correctness of support-v4 to 0.5').waitFor()
    await expect.poll(() => rows(page).count()).toBe(6)
    await page.getByRole('button', { name: 'support-v5', exact: true }).click()
    await page.waitForURL(/sort=delta\./)
    await page.getByRole('button', { name: 'Download what is shown as CSV' }).click()
    const columns = page.getByRole('dialog', { name: 'Columns of the CSV' })
    for (const name of ['splits', 'latency_ms', 'tone']) await columns.getByRole('checkbox', { name }).uncheck()
    expectQuietConsole(page)
    const download = page.waitForEvent('download')
    await columns.getByRole('button', { name: 'Download 6 rows' }).click()
    const text = await new Response((await (await download).createReadStream()) as never).text()
    expect(text.trim().split('\n')).toHaveLength(7)
    expect(text.split('\n')[0]).toMatch(/^example_id,input,reference,.*support-v5: correctness/)
    expect(text).not.toMatch(/latency_ms|tone/)
    expect(text).toContain('Answer 2 of 1')
    expectQuietConsole(page)
  })

  it('sends the runs of selected examples to an annotation queue', async () => {
    const page = await ui.open(compare('', seeded.experimentIds.slice(0, 2)))
    await page.getByText('Answer 2 of 0').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('region', { name: 'Selected examples' }).getByText('1 selected').waitFor()
    await page.getByRole('button', { name: 'Queue 2 runs' }).click()
    await page.getByRole('dialog').waitFor()
    expectQuietConsole(page)
  })

  it('shows one experiment, reports a deleted one, and asks for a selection', async () => {
    const page = await ui.open(compare('', [seeded.experimentIds[0]!, uuid7()]))
    await page.getByText(/One experiment of this address no longer exists/).waitFor()
    await page.getByText('Answer 2 of 0').waitFor()
    expect(await page.getByRole('button', { name: 'Only worse' }).count()).toBe(0)
    expectQuietConsole(page)
    await page.goto(ui.server.url + compare('', []))
    await page.getByRole('heading', { name: 'Select experiments to compare' }).waitFor()
    await page.getByRole('button', { name: 'Experiment', exact: true }).click()
    await page.getByRole('button', { name: /support-v6/ }).click()
    await page.getByText('Answer 2 of 2').waitFor()
    expectQuietConsole(page)
  })

  it('shows one experiment at a time on a phone', async () => {
    const page = await ui.open(compare(), { size: PHONE })
    await page.getByText('Answer 2 of 0').waitFor()
    await chooseOption(page.getByLabel('Answers of'), 'support-v5')
    await page.getByText('Answer 2 of 1').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })

  it('fills in while an experiment with repetitions runs, and its means match the SDK', async () => {
    const client = new Client({ apiUrl: `${ui.server.url}/api/v1`, apiKey: 'unused' })
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const printed = vi.spyOn(console, 'error').mockReturnValue(undefined)
    onTestFinished(() => printed.mockRestore())
    let started = 0
    const attempts = new Map<string, number>()
    const results = evaluate(
      async ({ question }: { question: string }) => {
        if (++started > 40) await held
        const attempt = (attempts.get(question) ?? 0) + 1
        attempts.set(question, attempt)
        return { answer: `${question} ${attempt % 2}` }
      },
      {
        data: 'qa-golden',
        client,
        experimentPrefix: 'live',
        numRepetitions: 3,
        maxConcurrency: 1,
        evaluators: [
          ({ outputs }: { outputs: { answer: string } }) => ({
            key: 'odd',
            score: outputs.answer.endsWith('1') ? 1 : 0,
          }),
        ],
      },
    )
    const address = await vi.waitFor(
      () => printed.mock.calls.join(' ').match(/http\S+selectedSessions=\S+/)![0],
      20_000,
    )
    const { pathname, search } = new URL(address)
    const page = await ui.open(pathname + search)
    await page
      .getByRole('article', { name: /^live/ })
      .getByText(/\/90 · running/)
      .waitFor()
    release()
    const { results: rowsOfSdk } = await results
    await page
      .getByRole('article')
      .getByText(/· running/)
      .waitFor({ state: 'detached', timeout: 20_000 })
    const scores = rowsOfSdk.flatMap((row) => row.evaluationResults.results.map(({ score }) => Number(score)))
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
    await page.getByRole('article').first().getByText(mean.toFixed(2), { exact: true }).waitFor()
    await page.getByText('2 distinct of 3').first().waitFor()
    await page.keyboard.press('.')
    await page.waitForURL(/rep=1/)
    await page.keyboard.press(',')
    await page.waitForURL((url) => !url.searchParams.has('rep'))
    await expectAccessibleInThemes(page, 'repetitions')
    expectQuietConsole(page)
  })

  it('shows hostile texts as text', async () => {
    const hostile = await seedComparison({
      url: ui.server.url,
      dataset: 'hostile',
      examples: LURES.length,
      experiments: ['<img src=x onerror=alert(1)>', 'b'],
      output: (_, example) => ({ answer: LURES[example] }),
    })
    const page = await ui.open(
      `/o/${ui.tenant}/datasets/${hostile.datasetId}/compare?selectedSessions=${hostile.experimentIds.join(',')}`,
    )
    page.on('dialog', () => expect.fail('a script ran'))
    await rows(page).first().waitFor()
    await page.goto(`${page.url()}&diff=baseline&layout=focus`)
    await page.getByText(/^Example 1 of/).waitFor()
    await expectAccessibleInThemes(page, 'hostile answers')
    expectQuietConsole(page)
  })
})

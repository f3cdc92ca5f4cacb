import { Client } from '@touchstone/sdk'
import { evaluate } from '@touchstone/sdk/evaluation'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { type SeededComparison, seedComparison } from '../support/seed-comparison.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

const EXAMPLES = 12

let ui: Ui
let seed: SeededComparison
let comparisonId: string
/** The address that the SDK prints. */
let address: string

/** Experiments over a new dataset, and a judge: every third pair is a tie, the first pair is won by A, all others by B. */
async function judgeNewPair(dataset: string) {
  const experiments = [`${dataset}-v4`, `${dataset}-v5`]
  const seeded = await seedComparison({ url: ui.server.url, dataset, examples: EXAMPLES, experiments })
  const client = new Client({ apiUrl: `${ui.server.url}/api/v1`, apiKey: 'unused', webUrl: ui.server.url })
  const order = new Map(seeded.exampleIds.map((id, at) => [id, at]))
  const isOfA = new Set(seeded.runIds[0])
  const judge = (key: string, prefersA: (at: number) => boolean) => {
    return ({ runs, example }: { runs: { id: string }[]; example: { id: string } }) => {
      const at = order.get(example.id) ?? 0
      const score = (id: string) => (at % 3 === 2 ? 0.5 : Number(isOfA.has(id) === prefersA(at)))
      return { key, scores: Object.fromEntries(runs.map(({ id }) => [id, score(id)])), comment: `Judged pair ${at}.` }
    }
  }
  const results = await evaluate([...seeded.experimentIds], {
    client,
    evaluators: [judge('helpful', (at) => at === 0), judge('tone', (at) => at % 2 === 0)],
    randomizeOrder: true,
    progress: false,
  })
  return { seeded, id: results.comparativeExperiment.id, url: results.url ?? '' }
}

beforeAll(async () => {
  ui = await openWorkspace()
  const judged = await judgeNewPair('support')
  seed = judged.seeded
  comparisonId = judged.id
  address = judged.url
}, 120_000)
afterAll(() => ui?.stop())

type Page = Awaited<ReturnType<Ui['open']>>
const bar = (page: Page, key: string) => page.getByRole('article', { name: key, exact: true })
const rows = (page: Page) => page.locator('[data-row]')
const votes = async () =>
  (await (
    await fetch(`${ui.server.url}/api/v1/feedback?comparative_experiment_id=${comparisonId}&source=app`)
  ).json()) as { run_id: string; key: string; score: number; value: string; session_id: string }[]

describe('a pairwise comparison', () => {
  it('opens at the address that the SDK prints, with its results', async () => {
    expect(new URL(address).searchParams.get('comparativeExperiment')).toBe(comparisonId)
    const page = await ui.open(address.slice(new URL(address).origin.length))
    const helpful = bar(page, 'helpful')
    await helpful.getByText('Chance alone gives such a lead in 7 % of cases').waitFor()
    await helpful.getByRole('button', { name: 'support-v4 wins 1' }).waitFor()
    await helpful.getByRole('button', { name: 'support-v5 wins 7' }).waitFor()
    await helpful.getByRole('button', { name: 'Ties 4' }).waitFor()
    await page.getByText('12 of 12 pairs').waitFor()
    await page.getByText('Order randomized').waitFor()
    await page.getByText('How do I reset password number 1?').first().waitFor()
    await page.getByText('Judged pair 0.').waitFor()
    expectQuietConsole(page)

    await helpful.getByRole('button', { name: 'support-v4 wins 1' }).click()
    await expect.poll(() => rows(page).count()).toBe(1)
    await expect.poll(() => new URL(page.url()).searchParams.get('show')).toBe('a')
    await rows(page).first().click()
    const panel = page.getByRole('complementary', { name: 'Pair' })
    await panel.getByText('Judged pair 0.').first().waitFor()
    expectQuietConsole(page)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })

    // `helpful` prefers B and `tone` prefers A in the pairs 4, 6 and 10.
    await page.getByRole('button', { name: 'Keys disagree' }).click()
    await expect.poll(() => rows(page).count()).toBe(3)
    await page.reload()
    await expect.poll(() => rows(page).count()).toBe(3)
  })

  it('takes blind votes by keyboard, and reveals the sides at the end', async () => {
    const page = await ui.open(address.slice(new URL(address).origin.length))
    await page.getByRole('button', { name: 'Vote blind' }).click()
    await page.getByText('Pair 1 of 12').waitFor()
    await page.getByRole('region', { name: 'Left' }).waitFor()
    const shown = await page.locator('body').innerText()
    for (const hidden of ['support-v4', 'support-v5', 'Judged pair']) expect(shown).not.toContain(hidden)
    expectQuietConsole(page)

    for (const [at, key] of ['1', '2', '3', '4', '1'].entries()) {
      await page.getByText(`Pair ${at + 1} of 12`).waitFor()
      // A vote counts only while both answers are shown.
      await expect.poll(() => page.getByRole('button', { name: 'Tie' }).isEnabled()).toBe(true)
      await page.keyboard.press(key)
    }
    await page.getByText('Pair 6 of 12').waitFor()
    await expect.poll(async () => (await votes()).length, { timeout: 10_000 }).toBe(10)
    const stored = await votes()
    expect(new Set(stored.map(({ key }) => key))).toEqual(new Set(['helpful']))
    expect(stored.map(({ value }) => value).sort()).toEqual(
      ['both bad', 'both bad', 'tie', 'tie', ...Array(3).fill('not preferred'), ...Array(3).fill('preferred')].sort(),
    )
    expect(new Set(stored.map(({ session_id }) => session_id))).toEqual(new Set(seed.experimentIds))

    await page.keyboard.press('Escape')
    const result = page.getByRole('region', { name: 'Your votes' })
    await result.getByText('You voted on 5 pairs').waitFor()
    await result.getByText('Tie (1 both bad)').waitFor()
    await result.getByText(/People and judges agree on .* of 5 pairs/).waitFor()
    await expectAccessibleInThemes(page, 'own votes')
    expectQuietConsole(page)
    await result.getByRole('button', { name: 'Show the results' }).click()
    await page.getByText(/Cohen's kappa/).waitFor()
    await page.getByText('1 person').first().waitFor()
    await expectAccessibleInThemes(page, 'votes of people and judges')
    expectQuietConsole(page)

    await page.getByRole('button', { name: 'Vote blind' }).click()
    await page.getByText('Pair 1 of 7').waitFor()
  })

  it('is listed with the mean scores, opens by keyboard, and fits a phone', async () => {
    const path = `/o/${ui.tenant}/datasets/${seed.datasetId}/pairwise`
    const page = await ui.open(path)
    await rows(page).first().waitFor()
    await page.getByText('support-v4 vs. support-v5', { exact: true }).waitFor()
    expectQuietConsole(page)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL('**comparativeExperiment=**')
    await bar(page, 'helpful').waitFor()

    const phone = await ui.open(address.slice(new URL(address).origin.length), { size: PHONE })
    await rows(phone).first().waitFor()
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(phone)
  })

  it('is deleted after its name was typed', async () => {
    const { seeded, id } = await judgeNewPair('deleted')
    const page = await ui.open(`/o/${ui.tenant}/datasets/${seeded.datasetId}/pairwise`)
    await page.getByRole('button', { name: /^Delete deleted-v4/ }).click()
    const dialog = page.getByRole('dialog')
    expectQuietConsole(page)
    const name = (await dialog.locator('strong').innerText()).trim()
    await dialog.getByRole('textbox').fill(name)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No pairwise comparisons yet' }).waitFor()
    expectQuietConsole(page)
    await page.goto(`${ui.server.url}/o/${ui.tenant}/datasets/${seeded.datasetId}/compare?comparativeExperiment=${id}`)
    await page.getByRole('heading', { name: 'This comparison was not found' }).waitFor()
  })
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noteFigure } from '../../support/budgets.ts'
import { FRAME_MS, paceWhile, paintedAfter } from '../../support/pace.ts'
import { SCALE } from '../../support/scale.ts'
import { type SeededComparison, seedComparison } from '../../support/seed-comparison.ts'
import { expectQuietConsole, startUi, type Ui } from '../../support/start-ui.ts'

const PATIENT = 900_000
const { examples, experiments, repetitions } = SCALE.comparison
const names = Array.from({ length: experiments }, (_, at) => `support-v${at + 1}`)

let ui: Ui
let seeded: SeededComparison
beforeAll(async () => {
  ui = await startUi()
  seeded = await seedComparison({
    url: ui.server.url,
    dataset: 'qa-golden',
    examples,
    experiments: names,
    repetitions,
    isFailed: (experiment, example) => experiment === 1 && example < 12,
  })
}, PATIENT)
afterAll(() => ui?.stop())

const ROW = '[role=grid][aria-label=Comparison] [data-row]'

describe(`journey 18: ${experiments} experiments, ${examples} examples, ${repetitions} repetitions`, () => {
  it(
    'are compared, filtered and scrolled',
    async () => {
      const note = (what: string, ms: number, budgetMs: number) => noteFigure('18', what, ms, budgetMs)
      const all = examples.toLocaleString('en-US')
      const page = await ui.open(`/o/${ui.tenant}/datasets/${seeded.datasetId}/experiments`)
      await page.getByRole('row', { name: /support-v1/ }).waitFor()
      for (const name of names) {
        await page
          .getByRole('row', { name: new RegExp(name) })
          .getByRole('checkbox')
          .check()
      }
      const compare = page.getByRole('button', { name: `Compare ${experiments}` })
      await compare.hover()
      note('Compare clicked → first row', await paintedAfter(page, ROW, () => compare.click()), 600)
      await page.getByText(`${all} of ${all} examples`).first().waitFor()

      const status = '[role=status]'
      const errors = page.getByRole('button', { name: 'Errors', exact: true })
      const failed = await paintedAfter(page, status, () => errors.click(), `12 of ${all} examples`)
      note('Errors clicked → filtered rows', failed, 100)
      await errors.click()
      await page.getByText(`${all} of ${all} examples`).first().waitFor()

      await page.locator(ROW).first().hover()
      await wheel(page, 320)
      await wheel(page, -320)
      const scroll = await paceWhile(page, () => wheel(page, 320))
      note('scrolled, frame p95', scroll.frameP95, FRAME_MS)
      note('scrolled, longest task', scroll.longestTask, 50)
      await expect.poll(() => page.locator(ROW).count()).toBeGreaterThan(3)
      expectQuietConsole(page)
    },
    PATIENT,
  )
})

async function wheel(page: Page, step: number) {
  for (let turn = 0; turn < 40; turn++) await page.mouse.wheel(0, step)
}

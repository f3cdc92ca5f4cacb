import { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noteFigure } from '../../support/budgets.ts'
import { FRAME_MS, paceWhile, paintedAfter } from '../../support/pace.ts'
import { SCALE } from '../../support/scale.ts'
import { expectQuietConsole, startUi, type Ui } from '../../support/start-ui.ts'

const PATIENT = 900_000
const AT_ONCE = 2_500
const ALL = SCALE.examples.toLocaleString('en-US')

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
  const client = new Client({ apiUrl: `${ui.server.url}/api/v1`, apiKey: 'unused' })
  const dataset = await client.createDataset('golden')
  for (let from = 0; from < SCALE.examples; from += AT_ONCE) {
    await client.createExamples(
      Array.from({ length: AT_ONCE }, (_, at) => ({
        dataset_id: dataset.id,
        inputs: { question: `How do I reset password number ${from + at}?`, language: at % 2 === 0 ? 'en' : 'de' },
        outputs: { answer: `Open Settings, choose Security, then press Reset number ${from + at}.` },
        metadata: { topic: 'auth', level: at % 7 },
      })),
    )
  }
}, PATIENT)
afterAll(() => ui?.stop())

const ROW = '[role=grid][aria-label=Examples] [data-row]'
const rowAt = (page: Page, index: number) => page.locator(`${ROW}[aria-rowindex="${index + 2}"]`)

describe(`journey 16: a dataset of ${ALL} examples`, () => {
  it(
    'is opened, scrolled to both ends, and searched',
    async () => {
      const note = (what: string, ms: number, budgetMs: number) => noteFigure(`16, ${ALL} examples`, what, ms, budgetMs)
      const page = await ui.open(`/o/${ui.tenant}/datasets`)
      const name = page.getByRole('link', { name: 'golden', exact: true })
      await name.hover()
      note('dataset clicked → first row', await paintedAfter(page, ROW, () => name.click(), 'How do I'), 300)
      await page.getByText(`${ALL} examples`).first().waitFor()

      const wheel = async (step: number) => {
        for (let turn = 0; turn < 40; turn++) await page.mouse.wheel(0, step)
      }
      await rowAt(page, 0).hover()
      await wheel(280)
      await expect.poll(() => page.locator(`${ROW}[aria-busy=true]`).count()).toBe(0)
      const scroll = await paceWhile(page, () => wheel(-280))
      note('loaded rows scrolled, frame p95', scroll.frameP95, FRAME_MS)
      note('loaded rows scrolled, longest task', scroll.longestTask, 50)

      await rowAt(page, 0).click()
      await page.keyboard.press('Escape')
      const end = `${ROW}[aria-rowindex="${SCALE.examples + 1}"]`
      const last = await paintedAfter(page, end, () => page.keyboard.press('End'), 'How do I')
      note('End → last row', last, 500)

      await page.getByRole('searchbox', { name: 'Search examples' }).fill('number 77?')
      await expect.poll(() => page.locator(ROW).count()).toBe(1)
      await page.getByText('How do I reset password number 77?').first().waitFor()
      expectQuietConsole(page)
    },
    PATIENT,
  )
})

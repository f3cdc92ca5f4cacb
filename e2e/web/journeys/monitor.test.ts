import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noteFigure } from '../../support/budgets.ts'
import { FRAME_MS, paceWhile, paintedAfter } from '../../support/pace.ts'
import { expectQuietConsole } from '../../support/start-ui.ts'
import { type BigProject, SPIKING_MODEL, startBigProject } from './big-project.ts'

const HOUR = 3_600_000
const PATIENT = 900_000

let big: BigProject
beforeAll(async () => {
  big = await startBigProject()
}, PATIENT)
afterAll(() => big?.stop())

const chart = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const plot = (page: Page, name: string) => chart(page, name).getByRole('img')
const paramsOf = (page: Page) => new URL(page.url()).searchParams
const rangeOf = (page: Page) => (paramsOf(page).get('t') ?? '').split('..').map((time) => Date.parse(time))

describe('journey 11: a spike in a big project', () => {
  it(
    'is drawn, grouped, and links to exactly its runs',
    async () => {
      const page = await big.open(big.path)
      await page.locator('[data-row]').first().waitFor()
      const monitor = page.getByRole('link', { name: 'Monitor', exact: true })
      await monitor.hover()
      const clicked = await paintedAfter(page, '[role=img] .u-over', () => monitor.click())
      noteFigure('11', 'monitor clicked → first chart', clicked, 400)

      // The spike is three days old in a range of a week. The pointer moves over it first.
      await page.goto(`${big.server.url}${big.path}/monitor?t=7d`)
      await drawn(page)
      const week = page.url()
      const now = Date.now()
      const share = (time: number) => 1 - (now - time) / (7 * 24 * HOUR)
      const hover = await paceWhile(page, async () => {
        for (let step = 0; step < 40; step++) await movePointer(page, step / 40)
      })
      noteFigure('11', 'hovered, frame p95', hover.frameP95, FRAME_MS)
      noteFigure('11', 'hovered, longest task', hover.longestTask, 50)
      expectQuietConsole(page)

      await movePointer(page, share(big.spikeMs - 2 * HOUR))
      await page.mouse.down()
      await movePointer(page, share(big.spikeMs + HOUR))
      await movePointer(page, share(big.spikeMs + 3 * HOUR))
      await page.mouse.up()
      await page.waitForURL((url) => url.searchParams.get('t')?.includes('..') ?? false)
      const [from, to] = rangeOf(page)
      expect(from).toBeLessThan(big.spikeMs)
      expect(to).toBeGreaterThan(big.spikeMs + HOUR)
      expect(to! - from!).toBeLessThan(8 * HOUR)
      await drawn(page)

      await page.getByRole('button', { name: 'Group by' }).click()
      await page.getByRole('menuitemradio', { name: 'Model', exact: true }).click()
      await page.waitForURL('**group=model**')
      const legend = chart(page, 'Volume').getByRole('list')
      const line = legend.getByRole('button', { name: SPIKING_MODEL, exact: true })
      await line.waitFor()
      await line.click() // alone, so that its mark is the one under the pointer
      await expect.poll(() => line.getAttribute('aria-pressed')).toBe('true')
      await drawn(page)
      const grouped = page.url()

      const zoomed = (time: number) => (time - from!) / (to! - from!)
      const box = await movePointer(page, zoomed(big.spikeMs + HOUR / 2), 4)
      await page.mouse.click(box.x, box.y)
      const section = page.getByRole('region', { name: SPIKING_MODEL })
      const link = section.getByRole('link', { name: /^Open [\d,]+ runs$/ })
      const count = (/[\d,]+/.exec((await link.textContent()) ?? '') ?? [''])[0]
      expect(Number(count.replaceAll(',', ''))).toBeGreaterThan(50)

      await link.click()
      await page.getByRole('grid', { name: 'Runs' }).getByText('call_model').first().waitFor()
      const status = page.getByRole('contentinfo').getByRole('status').first()
      await expect.poll(() => status.textContent(), { timeout: 60_000 }).toMatch(new RegExp(`(^|of )${count} rows$`))
      expectQuietConsole(page)

      await page.goBack()
      await page.waitForURL(grouped)
      await drawn(page)
      // A week is the default range and is not in the URL.
      while (page.url() !== week) {
        const here = page.url()
        await page.goBack()
        await page.waitForURL((url) => url.href !== here)
      }
      await drawn(page)
      expectQuietConsole(page)
    },
    PATIENT,
  )
})

/** Waits until every chart in view shows the new range. */
async function drawn(page: Page) {
  for (const name of ['Volume', 'Latency']) await plot(page, name).locator('.u-over').waitFor({ timeout: 60_000 })
  await expect.poll(() => page.locator('section .opacity-60').count(), { timeout: 60_000 }).toBe(0)
}

/** Moves to a share of the width of the first plot. */
async function movePointer(page: Page, share: number, up = 60): Promise<{ x: number; y: number }> {
  const box = (await plot(page, 'Volume').locator('.u-over').boundingBox())!
  const at = { x: box.x + box.width * share, y: box.y + box.height - up }
  await page.mouse.move(at.x, at.y)
  return at
}

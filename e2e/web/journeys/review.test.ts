import { afterAll, beforeAll, expect, it } from 'vitest'
import { noteFigure } from '../../support/budgets.ts'
import { paintedAfter } from '../../support/pace.ts'
import { RUBRIC, seedChats, seedQueue } from '../../support/seed-queue.ts'
import { expectQuietConsole, startUi, type Ui } from '../../support/start-ui.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui?.stop())

it('journey 20: the next item of a queue is shown at once', async () => {
  const runs = await seedChats(ui.server, 'fast', 8)
  const queueId = await seedQueue(ui.server, { name: 'Fast', ...RUBRIC }, runs)
  const page = await ui.open(`/o/${ui.tenant}/annotation-queues/${queueId}/review`)
  const item = page.getByRole('region', { name: 'Item' })
  await item.getByText('question 0', { exact: true }).waitFor()
  const times: number[] = []
  for (let number = 1; number < 7; number++) {
    await page.keyboard.press('1')
    await page.getByText('Saved', { exact: true }).first().waitFor()
    const done = () => page.keyboard.press('Control+Enter')
    times.push(await paintedAfter(page, 'section[aria-label=Item]', done, `question ${number}`))
  }
  const [median = 0] = times.sort((a, b) => a - b).slice(times.length / 2)
  noteFigure('20', 'Done → next item', median, 50)
  expectQuietConsole(page)
  expect(times).toHaveLength(6)
})

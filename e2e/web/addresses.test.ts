import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectQuietConsole, startUi, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter } from '../support/trace-writer.ts'

let ui: Ui
let project: string
beforeAll(async () => {
  ui = await startUi()
  const writer = new TraceWriter(ui.server.url, 'support-bot')
  writer.add({ name: 'agent' })
  await writer.send()
  project = await projectIdOf(ui.server.url, 'support-bot')
})
afterAll(() => ui?.stop())

/** URLs as clients print them, with their target and the beginning of its title. */
const shapes = (): [string, string, string][] => {
  const own = `/o/${ui.tenant}/projects/p/${project}`
  return [
    [own, own, 'support-bot'],
    [`${own}?tab=0&clusterJobId=7`, own, 'support-bot'],
    [`/o/${randomUUID()}/projects/p/${project}`, own, 'support-bot'],
    [`/projects/p/${project}`, own, 'support-bot'],
    [`/go/${project}`, own, 'support-bot'],
    [`/projects`, `/o/${ui.tenant}/projects`, 'Projects'],
    [`/settings`, `/o/${ui.tenant}/settings/workspace`, 'Workspace'],
  ]
}

describe('a URL that a client prints or a user bookmarks', () => {
  it('opens the right object with its name in the title', async () => {
    for (const [from, to, title] of shapes()) {
      // A page without redirects, because redirects of the start page would be counted too.
      const page = await ui.open('/ok')
      const steps = await stepsOf(page, () => page.goto(ui.server.url + from), to)
      await expect
        .poll(() => page.title(), { message: from, timeout: 30_000 })
        .toMatch(new RegExp(`^${title}.* · Touchstone$`))
      expect(steps, from).toBeLessThan(6)
      expectQuietConsole(page)
      await page.context().close()
    }
  }, 600_000)
})

/** Opens a URL and counts the redirects to the expected target. */
async function stepsOf(page: Page, go: () => Promise<unknown>, to: string): Promise<number> {
  let steps = 0
  page.on('framenavigated', () => steps++)
  await go()
  await expect.poll(() => new URL(page.url()).pathname, { message: to, timeout: 30_000 }).toBe(to)
  return steps
}

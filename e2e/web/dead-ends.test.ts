import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getConsoleMessages, openWorkspace, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter } from '../support/trace-writer.ts'

let ui: Ui
beforeAll(async () => {
  ui = await openWorkspace()
  const writer = new TraceWriter(ui.server.url, 'support-bot')
  writer.add({ name: 'secret_step', inputs: { question: 'a secret question' } })
  await writer.send()
})
afterAll(() => ui?.stop())

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

/** Only the messages of the browser about refused requests and of React about crashes. */
function expectQuietBut(page: Page, allowed: RegExp) {
  expect(getConsoleMessages(page).filter((text) => !allowed.test(text))).toEqual([])
}

describe('an error page', () => {
  it('without permission, the page names the missing role and its admins', async () => {
    const page = await ui.open('/login')
    await page.route('**/api/v1/settings', (route) => route.fulfill({ status: 403, json: { detail: 'Forbidden' } }))
    await page.goto(`${ui.server.url}/projects`)
    await page.getByRole('heading', { name: "You don't have permission to view this" }).waitFor()
    await page.getByRole('button', { name: 'Copy access request' }).click()
    await expect.poll(() => copied(page)).toBe(`Please give me access to ${ui.server.url}/projects`)
    expectQuietBut(page, /403/)
    await page.getByRole('button', { name: 'Switch account' }).click()
    await page.waitForURL('**/login?next=%2Fprojects')
  })

  it('for a missing object, the page names it and links to other pages', async () => {
    const id = randomUUID()
    const project = await projectIdOf(ui.server.url, 'support-bot')
    for (const [path, what] of [
      [`/o/${ui.tenant}/projects/p/${id}`, 'This project was not found'],
      [`/o/${ui.tenant}/projects/p/${project}/r/${id}`, 'This run was not found'],
      [`/o/${ui.tenant}/nowhere/${id}`, 'This page was not found'],
    ] as const) {
      const page = await ui.open(path)
      await page.getByRole('heading', { name: what }).waitFor()
      await page.getByText(id, { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Search all projects' }).waitFor()
      expectQuietBut(page, /404/)
      await page.getByRole('navigation', { name: 'Projects' }).getByRole('link', { name: 'support-bot' }).click()
      await page.getByText('secret_step').first().waitFor()
      await page.context().close()
    }
  })

  it('after a crash, other pages still work, and the report contains no traced data', async () => {
    const page = await ui.open('/login')
    await page.route('**/api/v1/sessions?*', (route) =>
      route.fulfill({ json: [{ name: 'a secret project', id: null }, null] }),
    )
    await page.goto(`${ui.server.url}/projects`)
    await page.getByRole('heading', { name: 'This page failed' }).waitFor()
    await page.getByRole('button', { name: 'Copy report' }).click()
    await expect.poll(() => copied(page)).toContain('route: /o/$tenant/projects/')
    expect(await copied(page)).toContain('Touchstone: a page failed')
    expect(await copied(page)).not.toContain('secret')
    expectQuietBut(page, /TypeError|error occurred|CatchBoundary/)
    await page.unroute('**/api/v1/sessions?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('support-bot').first().waitFor()
  })
})

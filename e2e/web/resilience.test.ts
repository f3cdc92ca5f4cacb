import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, expectAccessibleEverywhere } from '../support/accessibility.ts'
import { freePort, startServer } from '../support/start-server.ts'
import { getConsoleMessages, type OwnUi, startUi } from '../support/start-ui.ts'

const overlapping = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

describe('a page', () => {
  let ui: OwnUi
  beforeAll(async () => {
    ui = await startUi()
  })
  afterAll(() => ui?.stop())

  it('shows that the server is unreachable, keeps typed text, and recovers by itself', {
    timeout: 180_000,
  }, async () => {
    const port = await freePort()
    const place = { port, dataDir: `${ui.server.dataDir}-down-${port}` }
    const server = await startServer(place)
    const page = await ui.open('/')
    await page.goto(`${server.url}/projects`)
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('typed before it went')
    await server.stop()
    await page.keyboard.press('Enter')
    await page.getByText('The server is not responding.').first().waitFor()
    // All retries must be over, because one of them could reach the restarted server.
    await page.getByText('Could not create the project').waitFor()
    await expectAccessibleEverywhere(page, 'an unreachable server and typed text')
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('typed before it went')

    const again = await startServer(place)
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
    await page.getByRole('textbox', { name: 'Name' }).press('Enter')
    await page.waitForURL('**/projects/p/**')
    const threads = page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Threads' })
    await threads.waitFor()
    await again.stop()

    // A page whose code was never loaded waits for the server, with one message.
    await threads.click()
    await page.getByRole('heading', { name: 'The server is not responding' }).waitFor()
    expect(await page.getByText('not responding').count()).toBe(1)
    expect(await page.getByText('Could not load').count()).toBe(0)
    expect(getConsoleMessages(page).filter((text) => !text.startsWith('Failed to load resource'))).toEqual([])
    const last = await startServer(place)
    await page.getByText('No threads').first().waitFor()
    await last.stop()
  })

  it('still works when the code of the first steps cannot be loaded', async () => {
    const page = await ui.open('/login')
    await page.route('**/assets/onboarding-*.js', (route) => route.abort())
    await page.goto(`${ui.server.url}/projects`)
    await page.getByText('Could not load part of this page').waitFor()
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    expect(await page.getByText('This page failed').count()).toBe(0)
    await page.unroute('**/assets/onboarding-*.js')
    await page.goto(`${ui.server.url}/projects`)
    await page.getByText('LANGSMITH_ENDPOINT').first().waitFor()
  })

  it('still works when the code of an optional part cannot be loaded', async () => {
    const page = await ui.open('/login')
    await page.route('**/assets/jobs-tray-*.js', (route) => route.abort())
    const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('/jobs-tray-'))
    await page.goto(`${ui.server.url}/projects`)
    await refused
    await page.getByText('Could not load part of this page').waitFor()
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('with its parts')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/projects/p/**')
    expect(await page.getByText('This page failed').count()).toBe(0)
    await expectAccessibleEverywhere(page, 'a missing optional part')
  })

  it('offers a reload when the server has a new version, and does not reload by itself', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('heading', { name: 'Projects' }).waitFor({ state: 'attached' })
    await page.route('**/assets/members-*.js', (route) => route.fulfill({ status: 404, body: '' }))
    await page.goto(`${ui.server.url}/settings/api-keys`)
    await page.evaluate(() => Object.assign(window, { stayed: true }))
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('button', { name: 'Reload' }).first().waitFor()
    await expectAccessibleEverywhere(page, 'a new version of the server')
    expect(await page.evaluate(() => 'stayed' in window)).toBe(true)
  })

  it.each([
    ['at 200 % zoom', { width: 720, height: 450 }],
    ['on a narrow phone', { width: 320, height: 640 }],
  ])('shows all content without overlaps %s', async (_where, size) => {
    const page = await ui.open('/ok', { size })
    for (const path of ['/projects', '/settings/members', '/settings/api-keys', '/setup']) {
      await page.goto(ui.server.url + path)
      await page.locator('h1').first().waitFor({ state: 'attached' })
      expect(await overlapping(page), path).toBe(false)
    }
  })

  it('shows the focus, also with forced colors and reduced motion', async () => {
    const page = await ui.open('/settings/members')
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    await page.getByRole('link', { name: 'Set up accounts' }).first().waitFor()
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Tab')
      const focus = await page.evaluate(() => {
        const { outlineStyle, outlineWidth, transitionDuration } = getComputedStyle(document.activeElement!)
        return { name: document.activeElement!.textContent, outlineStyle, outlineWidth, transitionDuration }
      })
      expect(focus.outlineStyle, focus.name ?? '').not.toBe('none')
      expect(Number.parseFloat(focus.outlineWidth), focus.name ?? '').toBeGreaterThan(0)
    }
    // The browser selects the colors in this mode; axe would check the colors of the page.
    await expectAccessible(page, { except: ['color-contrast'] })
    expect(getConsoleMessages(page)).toEqual([])
  })

  it('explains a refused change, and keeps the typed text', { timeout: 60_000 }, async () => {
    const headers = { 'content-type': 'application/json' }
    const make = async (role: string, key = '') =>
      (
        (await (
          await fetch(`${ui.server.url}/api/v1/api-key`, {
            method: 'POST',
            headers: { ...headers, ...(key && { 'x-api-key': key }) },
            body: JSON.stringify({ role, description: role }),
          })
        ).json()) as { key: string }
      ).key
    const admin = await make('admin')
    const member = await make('member', admin)
    const viewer = await make('viewer', admin)
    const page = await ui.open('/projects', { key: member })
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('no longer mine to make')
    await page.evaluate((key) => localStorage.setItem('touchstone.api-key', key), viewer)
    await page.keyboard.press('Enter')
    await page.getByText('This key has read-only access.').first().waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('no longer mine to make')
    expect(getConsoleMessages(page).filter((text) => !text.includes('403'))).toEqual([])
  })
})

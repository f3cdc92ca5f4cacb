import { randomUUID } from 'node:crypto'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SeededTrace, seedTraces } from '../support/seed-traces.ts'
import { expectQuietConsole, getConsoleMessages, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

describe('the shell', () => {
  let ui: Ui
  let traces: SeededTrace[]
  beforeAll(async () => {
    ui = await openWorkspace()
    traces = await seedTraces({ url: ui.server.url, project: 'support-bot', traces: 3 })
  })
  afterAll(() => ui?.stop())

  it('opens pages by name, and objects by a pasted id', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('row', { name: /support-bot/ }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search, or paste an ID or a link').fill('supp')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/projects/p/**')

    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search, or paste an ID or a link').fill(traces[1]!.id)
    expectQuietConsole(page)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/r/${traces[1]!.id}**`)
  })

  it('opens projects and settings by key sequences, and lists its shortcuts', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('row', { name: /support-bot/ }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.waitForURL('**/settings/workspace')
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.waitForURL('**/projects')
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    await page.getByText('Go to projects').waitFor()
    expectQuietConsole(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('[')
    await page.getByRole('button', { name: 'Expand sidebar' }).waitFor()
  })

  it('closes layers that are closed before they are drawn, with and without animations', async () => {
    const page = await ui.open('/projects')
    await page
      .getByRole('row', { name: /support-bot/ })
      .getByRole('link')
      .first()
      .click()
    const layer = page.locator('[role=menu], [role=dialog]')
    for (const name of ['Theme', 'Columns', 'Search or jump']) {
      const opener = page.getByRole('button', { name, exact: true })
      // The first time loads the code.
      await opener.click()
      await layer.first().waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(() => layer.count()).toBe(0)
      for (const reducedMotion of ['reduce', 'no-preference'] as const) {
        await page.emulateMedia({ reducedMotion })
        expect(await opener.evaluate(closeBeforeDrawn)).toBe('opened')
        await expect.poll(() => layer.count(), { message: `${name}, ${reducedMotion}` }).toBe(0)
      }
    }
    expectQuietConsole(page)
  })

  it('runs page commands from the palette, and finds loaded runs', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('row', { name: /support-bot/ }).waitFor()
    const type = async (text: string) => {
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder('Search, or paste an ID or a link').fill(text)
      await page.getByRole('option').first().waitFor()
      await page.keyboard.press('Enter')
    }
    await type('new project')
    await page.getByRole('heading', { name: 'New project' }).waitFor()
    await page.keyboard.press('Escape')
    await type('settings model prices')
    await page.waitForURL('**/settings/prices')
    await type('support-bot')
    await page.getByRole('grid', { name: 'Traces' }).getByText('question 1').waitFor()
    await type('question 1')
    await page.waitForURL(`**/r/${traces[1]!.id}**`)
    await type('times: utc')
    expect(await page.evaluate(() => localStorage.getItem('touchstone.zone'))).toBe('"UTC"')
  })

  it('switches the theme, which the next visit uses from its first paint', async () => {
    const page = await ui.open('/projects', { theme: 'light' })
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    await expect.poll(theme).toBe('dark')
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.reload()
    expect(await theme()).toBe('dark')
  })

  it('runs with a policy that allows only its own scripts', async () => {
    const page = await ui.open('/projects')
    const answer = await page.reload()
    const policy = answer?.headers()['content-security-policy'] ?? ''
    expect(policy).toContain("script-src 'self' 'sha256-")
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
    await page.getByRole('row', { name: /support-bot/ }).waitFor()
    expect(getConsoleMessages(page)).toEqual([])
  })

  it('links to other pages from an unknown URL', async () => {
    const page = await ui.open(`/o/${ui.tenant}/nowhere/${traces[0]!.id}`)
    await page.getByRole('heading', { name: 'This page was not found' }).waitFor()
    expectQuietConsole(page)
    await page.getByRole('link', { name: 'Search all projects' }).click()
    await page.waitForURL(`**/r/${traces[0]!.id}**`)

    await page.goto(`${ui.server.url}/go/${randomUUID()}`)
    await page.getByRole('heading', { name: 'No match for this ID' }).waitFor()
    expect(getConsoleMessages(page).filter((text) => !text.includes('404'))).toEqual([])
  })

  it('is a drawer on a phone', async () => {
    const page = await ui.open('/projects', { size: PHONE })
    await page.getByRole('button', { name: 'Open the menu' }).click()
    const menu = page.getByRole('navigation', { name: 'Main' })
    await menu.waitFor()
    expectQuietConsole(page)
    await menu.getByRole('link', { name: 'Settings' }).click()
    await page.waitForURL('**/settings/workspace')
    await menu.waitFor({ state: 'detached' })
  })

  it('cycles through its panes with F6 and skips to the content', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('row', { name: /support-bot/ }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
    const pane = () => page.evaluate(() => document.activeElement?.closest('[data-pane]')?.getAttribute('data-pane'))
    const seen: unknown[] = []
    for (let press = 0; press < 3; press++) {
      await page.keyboard.press('F6')
      seen.push(await pane())
    }
    expect(seen).toEqual(['sidebar', 'toolbar', 'list'])
  })

  it('finds projects in the palette that no list has loaded, below the other results', async () => {
    const client = new Client({ apiUrl: `${ui.server.url}/api/v1` })
    await client.createProject({ projectName: 'oldest needle' })
    await Promise.all(Array.from({ length: 101 }, (_, at) => client.createProject({ projectName: `crowd ${at}` })))
    const page = await ui.open(`/o/${ui.tenant}`)
    await page.getByRole('heading', { name: 'Home' }).waitFor({ state: 'attached' })
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search, or paste an ID or a link').fill('needle')
    const found = page.getByRole('group', { name: 'More projects' }).getByRole('option', { name: 'oldest needle' })
    await found.waitFor()
    expectQuietConsole(page)
    await found.click()
    await page.waitForURL('**/projects/p/**')
    await page.getByRole('heading', { name: 'oldest needle' }).waitFor()
  })
})

/**
 * Opens a layer, and closes it in its first frame: its animation has been set by then, and has not begun.
 *
 * @returns what happened
 */
async function closeBeforeDrawn(opener: HTMLElement): Promise<string> {
  const press = (target: Element, key: string) =>
    target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  opener.focus()
  // A menu opens by its keys, everything else by a click.
  if (opener.getAttribute('aria-haspopup') === 'menu') press(opener, 'Enter')
  else opener.click()
  await new Promise(requestAnimationFrame)
  const layer = document.querySelector('[role=menu], [role=dialog]')
  if (layer === null) return 'not opened'
  press(layer, 'Escape')
  return 'opened'
}

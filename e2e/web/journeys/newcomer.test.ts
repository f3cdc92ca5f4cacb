import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copied, copyButtons, runProgram } from '../../support/follow-screen.ts'
import { tabTo } from '../../support/keyboard.ts'
import { expectQuietConsole, getConsoleMessages, startUi, type Ui } from '../../support/start-ui.ts'

describe('journey 1: a new user', () => {
  let ui: Ui
  beforeAll(async () => {
    ui = await startUi()
  })
  afterAll(() => ui?.stop())

  it('gets from an empty server to a filtered, shared trace by following the screen', async () => {
    // Only the URL that the server prints is typed into the address bar.
    const page = await ui.open('/')
    await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
    expectQuietConsole(page)

    await page.getByRole('link', { name: 'Set up accounts' }).click()
    await page.getByRole('heading', { name: 'Set up' }).waitFor()
    await page.getByLabel('Email').fill('ada@example.org')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByLabel('Workspace name').fill('Acme')
    await page.getByLabel('Project name').fill('support-bot')
    await page.getByRole('button', { name: 'Start tracing' }).click()

    await page.getByText("The key is in the snippet. Copy it now. You won't see it again.").waitFor()
    await page.getByText('Waiting for the first trace').waitFor()
    expectQuietConsole(page)
    const environment = await copied(page, () => copyButtons(page).nth(0).click())
    const program = await copied(page, () => copyButtons(page).nth(1).click())
    expect(await runProgram(environment, program)).toContain('Hello, Touchstone!')

    await page.getByText('First trace received:').waitFor()
    await page.getByRole('link', { name: 'Open trace' }).click()
    const tree = page.getByRole('tree', { name: 'Runs of the trace' })
    await tree.getByText('greet').waitFor()
    await page.getByText('Hello, Touchstone!').first().waitFor()
    expectQuietConsole(page)

    // Two more runs, so that a filter has an effect.
    for (const name of ['Ada', 'Grace']) {
      await runProgram(environment, program.replace('"Touchstone"', `"${name}"`))
    }
    await page.getByRole('link', { name: 'support-bot', exact: true }).click()
    const rows = page.getByRole('grid', { name: 'Traces' }).locator('[data-row]')
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(3)
    await page.getByRole('button', { name: 'Add condition' }).click()
    const form = page.getByRole('dialog', { name: 'Add condition' })
    await form.getByRole('option', { name: /^greet/ }).click()
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'name is greet', exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Add filter' }).fill('Grace')
    await page.keyboard.press('Enter')
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(1)
    expectQuietConsole(page)

    await rows.first().click()
    await page.getByRole('link', { name: 'Open trace' }).click()
    await tree.getByText('greet').waitFor()
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByRole('button', { name: 'Create public link' }).click()
    const link = await copied(page, () => page.getByRole('button', { name: 'Copy link' }).click())
    expectQuietConsole(page)

    const reader = await ui.open('/projects', { theme: 'dark' })
    await reader.getByRole('button', { name: 'Sign in' }).waitFor() // this profile has no login
    await reader.context().close()
    const guest = await ui.open(new URL(link).pathname, { theme: 'dark' })
    await guest.getByText('Shared publicly, read-only').waitFor()
    await guest.getByText('Hello, Grace!').first().waitFor()
    expectQuietConsole(guest)
    expect(getConsoleMessages(page)).toEqual([])
  }, 300_000)
})

describe('journey 1 by keyboard', () => {
  let ui: Ui
  beforeAll(async () => {
    ui = await startUi()
  })
  afterAll(() => ui?.stop())

  it('gets from an empty server to the first trace', async () => {
    const page = await ui.open('/', { theme: 'dark' })
    await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
    await enter(page, /^Set up accounts$/)
    await page.getByRole('heading', { name: 'Set up' }).waitFor()
    for (const text of ['ada@example.org', 'correct horse', 'Acme', 'support-bot']) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await enter(page, /^Start tracing$/)
    await page.getByText("You won't see it again").waitFor()
    expectQuietConsole(page)

    await tabTo(page, /^Copy$/)
    const environment = await copied(page, () => page.keyboard.press('Enter'))
    await page.keyboard.press('Tab')
    await tabTo(page, /^Copy$/)
    const program = await copied(page, () => page.keyboard.press('Enter'))
    await runProgram(environment, program)

    await page.getByText('First trace received:').waitFor()
    await enter(page, /^Open trace$/)
    await page.getByText('Hello, Touchstone!').first().waitFor()
    expectQuietConsole(page)
  }, 300_000)
})

async function enter(page: Page, name: RegExp) {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

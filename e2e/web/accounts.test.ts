import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { expectQuietConsole, getConsoleMessages, PHONE, startUi, type Ui } from '../support/start-ui.ts'
import { step } from '../support/step.ts'

const run = promisify(execFile)
const python = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url))

const ADA = { email: 'ada@example.org', password: 'correct horse' }

async function fillSetUp(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(ADA.email)
  await page.getByLabel('Password').fill(ADA.password)
  await page.getByLabel('Workspace name').fill('Acme')
  await page.getByLabel('Project name').fill('support-bot')
}

async function signIn(page: Page, { email, password }: typeof ADA = ADA): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** The browser itself logs refused requests to the console. */
async function expectSoundDespiteRefusals(page: Page): Promise<void> {
  expect(getConsoleMessages(page).filter((text) => !/status of 40[13]/.test(text))).toEqual([])
}

describe('an empty server', () => {
  let ui: Ui
  // Shared: the steps of one journey.
  let admin: Page
  beforeAll(async () => {
    ui = await startUi()
    admin = await ui.open('/setup')
  })
  afterAll(() => ui?.stop())

  it('goes from the set-up to accounts, roles and passwords', { timeout: 300_000 }, async () => {
    await step('opens without a sign-in and offers the set-up', async () => {
      const page = await ui.open('/', { size: PHONE, theme: 'dark' })
      await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
      await page.goto(`${ui.server.url}/login?next=%2Fprojects`)
      await page.waitForURL('**/o/*/projects')
      await page.goto(`${ui.server.url}/settings/members`)
      await page.getByRole('link', { name: 'Set up accounts' }).click()
      await page.getByRole('heading', { name: 'Set up' }).waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
      expectQuietConsole(page)
    })

    await step('receives the first trace of a Python program after a form and one copied snippet', async () => {
      expect(existsSync(python), 'the Python clients in .venv; `npm test` brings them').toBe(true)
      expectQuietConsole(admin)
      await fillSetUp(admin)
      await admin.keyboard.press('Enter')
      await admin.getByText("You won't see it again").waitFor()
      await admin.getByText('Waiting for the first trace').waitFor()
      await expectAccessibleInThemes(admin, 'a new key of the set-up')
      expectQuietConsole(admin)

      const environment = await admin.getByRole('region', { name: 'Environment' }).textContent()
      const program = await admin.getByRole('region', { name: 'Python' }).textContent()
      expect(environment).toContain('LANGSMITH_PROJECT=support-bot')
      // Like a user: pastes the environment into a shell and the program into a file.
      const script = `${environment}\n${python} <<'PROGRAM'\n${program}\nPROGRAM`
      const { stdout } = await run('bash', ['-c', script], { cwd: '/tmp' })
      expect(stdout).toContain('Hello, Touchstone!')

      await admin.getByText('First trace received:').waitFor()
      await admin.getByRole('link', { name: 'Open trace' }).click()
      await admin.waitForURL('**/r/**')
      await admin.getByText('Hello, Touchstone!').first().waitFor()
    })

    await step('requires a sign-in afterwards, and does not reveal which accounts exist', async () => {
      const page = await ui.open('/setup')
      await page.waitForURL('**/login')
      await signIn(page, { email: 'eve@example.org', password: 'correct horse' })
      await page.getByText('The email address or the password is wrong.').waitFor()
      await signIn(page, { ...ADA, password: 'wrong horse' })
      await page.getByText('The email address or the password is wrong.').waitFor()
      await expectSoundDespiteRefusals(page)
    })

    await step('returns to the same page with its filters after a sign-in', async () => {
      const page = await ui.open('/projects?q=support')
      await page.waitForURL('**/login?next=**')
      await signIn(page)
      await page.waitForURL('**/projects?q=support')
      await page.getByRole('grid', { name: 'Projects' }).waitFor()
      expect(await page.evaluate(() => document.cookie)).toBe('')
      await page.getByRole('link', { name: 'ada', exact: true }).click()
      await page.getByText('Active sign-ins').waitFor()
      await expectSoundDespiteRefusals(page)
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.waitForURL('**/login')
    })

    await step('admits others by an invite link that works once, with the role of the invite', async () => {
      await admin.goto(`${ui.server.url}/settings/members`)
      await admin.getByRole('button', { name: 'Invite' }).click()
      await admin.getByRole('radio', { name: /Viewer/ }).check()
      await admin.getByLabel('Email (optional)').fill('grace@example.org')
      await admin.getByRole('button', { name: 'Create link' }).click()
      const link = (await admin.getByRole('region', { name: 'Invitation' }).textContent())!.trim()
      await expectAccessibleInThemes(admin, 'an invitation')
      expectQuietConsole(admin)
      await admin.getByRole('button', { name: 'Done' }).click()

      const grace = await ui.open(new URL(link).pathname, { size: PHONE, theme: 'dark' })
      await grace.getByRole('heading', { name: 'Join Acme' }).waitFor()
      await grace.getByLabel('Name (optional)').fill('Grace')
      await grace.getByLabel('Password').fill('battery staple')
      await expectAccessibleInThemes(grace, 'an invite')
      expectQuietConsole(grace)
      await grace.getByRole('button', { name: 'Join' }).click()
      await grace.waitForURL('**/o/*')
      await grace.goto(`${ui.server.url}/projects`)
      // All actions are offered until the role of the user is loaded.
      await grace.getByRole('button', { name: 'New project' }).and(grace.locator(':disabled')).waitFor()

      await grace.goto(`${ui.server.url}/settings/members`)
      await grace.getByText('Only admins can invite and remove members and change roles.').waitFor()
      expect(await grace.getByRole('button', { name: /Invite|Remove/ }).count()).toBe(0)
      expect(await grace.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
      await expectAccessibleInThemes(grace, 'members of a viewer')
      expectQuietConsole(grace)
      await grace.goto(`${ui.server.url}/settings/api-keys`)
      await grace.getByText('First key, for support-bot').waitFor()
      await expect.poll(() => grace.getByRole('button', { name: 'New key' }).count()).toBe(0)
      await grace.goto(`${ui.server.url}/settings/workspace`)
      await grace.getByText('Read-only: you need the role Admin').waitFor()
      expect(await grace.getByRole('textbox', { name: 'Name' }).isDisabled()).toBe(true)
      await expectAccessibleInThemes(grace, 'workspace settings of a viewer')
      expectQuietConsole(grace)

      const late = await ui.open(new URL(link).pathname)
      await late.getByText('This invitation is not valid').waitFor()
      expect(getConsoleMessages(late).filter((text) => !text.includes('404'))).toEqual([])
    })

    await step('changes roles at once, and keeps its last admin', async () => {
      await admin.goto(`${ui.server.url}/settings/members`)
      const row = (name: string) => admin.getByRole('row', { name: new RegExp(name, 'i') })
      await chooseOption(row('grace').getByLabel('Role of Grace'), 'Member')
      await admin.getByText('Grace is now Member').waitFor()
      expect(await row('ada@').getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true)
      const grace = await ui.open('/login', { theme: 'dark' })
      await signIn(grace, { email: 'grace@example.org', password: 'battery staple' })
      await grace.waitForURL('**/o/*')
      await grace.goto(`${ui.server.url}/projects`)
      await grace.getByRole('button', { name: 'New project' }).and(grace.locator(':enabled')).waitFor()

      // Personal data is hidden from other users.
      await grace.getByRole('link', { name: 'support-bot', exact: true }).click()
      await grace.getByRole('grid', { name: 'Traces' }).waitFor()
      await grace.getByRole('button', { name: 'Views', exact: true }).click()
      await grace.getByRole('textbox', { name: 'Name of a new view' }).fill('Mine')
      await grace.getByRole('checkbox', { name: 'Only for me' }).check()
      await expectAccessibleInThemes(grace, 'a view only for one person')
      expectQuietConsole(grace)
      await grace.getByRole('button', { name: 'Save as' }).click()
      await grace.getByRole('button', { name: 'View: Mine' }).click()
      await grace.getByText('only you').waitFor()
      const beside = await admin.context().newPage()
      await beside.goto(grace.url())
      await beside.getByRole('grid', { name: 'Traces' }).waitFor()
      await beside.getByRole('button', { name: 'Views', exact: true }).click()
      await beside.getByText('No views yet').waitFor()
      await beside.close()

      await row('grace').getByRole('button', { name: 'Remove' }).click()
      await expectAccessibleInThemes(admin, 'removing a member')
      expectQuietConsole(admin)
      await admin.getByRole('button', { name: 'Remove', exact: true }).click()
      await admin.getByText('Removed Grace').waitFor()
      await grace.reload()
      await grace.waitForURL('**/login?next=**')
    })

    await step('asks to sign in again over the page, and keeps the typed text', async () => {
      const page = await ui.open('/login', { theme: 'dark' })
      await signIn(page)
      await page.waitForURL('**/o/*')
      await page.goto(`${ui.server.url}/projects`)
      await page.getByRole('grid', { name: 'Projects' }).waitFor()
      await page.getByRole('button', { name: 'New project' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('typed before it ended')
      await page.context().clearCookies()
      await page.keyboard.press('Enter')

      await page.getByRole('dialog', { name: 'Your session has expired' }).waitFor()
      await expectAccessibleInThemes(page, 'an expired session')
      await page.getByLabel('Password').fill('wrong horse')
      await page.keyboard.press('Enter')
      await page.getByText('The email address or the password is wrong.').waitFor()
      await page.getByLabel('Password').fill(ADA.password)
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Your session has expired' }).waitFor({ state: 'detached' })
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('typed before it ended')
      await page.getByRole('textbox', { name: 'Name' }).press('Enter')
      await page.waitForURL('**/projects/p/**')
      await page
        .getByRole('heading', { name: 'typed before it ended' })
        .or(page.getByRole('link', { name: 'typed before it ended' }))
        .first()
        .waitFor()
      await expectSoundDespiteRefusals(page)
    })

    await step('changes a password, and ends the sessions of other browsers', async () => {
      const other = await ui.open('/login')
      await signIn(other)
      await other.waitForURL('**/o/*')
      await admin.goto(`${ui.server.url}/account`)
      await admin.getByLabel('Current password').fill('wrong horse')
      await admin.getByLabel('New password').fill('another battery')
      await admin.getByRole('button', { name: 'Save' }).click()
      await admin.getByText('The current password is wrong.').waitFor()
      await admin.getByLabel('Current password').fill(ADA.password)
      await admin.getByRole('button', { name: 'Save' }).click()
      await admin.getByText('Changed password').waitFor()
      await other.reload()
      await other.waitForURL('**/login?next=**')
    })
  })
})

describe('a server on a network', () => {
  it('requires the set-up link that it printed', async () => {
    const ui = await startUi({ args: ['--host', '0.0.0.0'] })
    const code = /\/setup#(\S+)/.exec(ui.server.output())![1]!
    const stranger = await ui.open('/')
    await stranger.waitForURL('**/setup')
    await fillSetUp(stranger)
    await stranger.getByLabel('Setup code').fill('guessed-guessed')
    await stranger.getByRole('button', { name: 'Start tracing' }).click()
    await stranger.getByText('The set-up code is wrong.').waitFor()

    const operator = await ui.open(`/setup#${code}`)
    await fillSetUp(operator)
    await operator.getByRole('button', { name: 'Start tracing' }).click()
    await operator.getByText("You won't see it again").waitFor()
    await ui.stop()
  })
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { expectQuietConsole, getConsoleMessages, PHONE, startUi, type Ui } from '../support/start-ui.ts'
import { step } from '../support/step.ts'

const PASSWORD = 'correct horse'

let ui: Ui
// Shared: the steps of one journey.
let admin: Page
beforeAll(async () => {
  ui = await startUi()
  admin = await ui.open('/setup')
  await admin.getByLabel('Email').fill('ada@example.org')
  await admin.getByLabel('Password').fill(PASSWORD)
  await admin.getByLabel('Workspace name').fill('Acme')
  await admin.getByLabel('Project name').fill('support-bot')
  await admin.keyboard.press('Enter')
  await admin.getByText("You won't see it again").waitFor()
})
afterAll(() => ui?.stop())

const openSwitcher = (page: Page) => page.getByRole('button', { name: /^Workspace: / }).click()
const tenantOf = (page: Page) => new URL(page.url()).pathname.split('/')[2]!

/** Creates an invite on the open page for its workspace. */
async function invite(page: Page, role: RegExp): Promise<string> {
  await page.goto(`${ui.server.url}/o/${tenantOf(page)}/settings/members`)
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('radio', { name: role }).check()
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = (await page.getByRole('region', { name: 'Invitation' }).textContent())!.trim()
  await page.getByRole('button', { name: 'Done' }).click()
  return new URL(link).pathname
}

describe('several workspaces', () => {
  it('are created, joined, left and deleted', { timeout: 300_000 }, async () => {
    await step('are created and switched in the sidebar, which keeps the kind of page', async () => {
      await admin.goto(`${ui.server.url}/projects`)
      await admin.getByRole('link', { name: 'support-bot', exact: true }).waitFor()
      const first = tenantOf(admin)
      await openSwitcher(admin)
      await expectAccessibleInThemes(admin, 'the menu of workspaces')
      await admin.getByRole('menuitem', { name: 'Create workspace' }).click()
      await admin.getByRole('textbox', { name: 'Name' }).fill('Research')
      await expectAccessibleInThemes(admin, 'a new workspace')
      expectQuietConsole(admin)
      await admin.getByRole('dialog').getByRole('button', { name: 'Create workspace' }).click()
      await admin.getByRole('button', { name: 'Workspace: Research' }).waitFor()
      expect(tenantOf(admin)).not.toBe(first)

      await admin.goto(`${ui.server.url}/o/${tenantOf(admin)}/projects`)
      await admin.getByRole('link', { name: 'default', exact: true }).waitFor()
      expect(await admin.getByRole('link', { name: 'support-bot', exact: true }).count()).toBe(0)
      await openSwitcher(admin)
      await admin.getByRole('menuitem', { name: /Acme/ }).click()
      await admin.getByRole('link', { name: 'support-bot', exact: true }).waitFor()
      expect(new URL(admin.url()).pathname).toBe(`/o/${first}/projects`)
      expectQuietConsole(admin)
    })

    await step('are joined with the current account, listed with the role in each, and left', async () => {
      const toFirst = await invite(admin, /Viewer/)
      const first = tenantOf(admin)
      const grace = await ui.open(toFirst, { size: PHONE, theme: 'dark' })
      await grace.getByLabel('Email').fill('grace@example.org')
      await grace.getByLabel('Password').fill(PASSWORD)
      await grace.getByRole('button', { name: 'Join', exact: true }).click()
      await grace.waitForURL(`**/o/${first}`)

      await openSwitcher(admin)
      await admin.getByRole('menuitem', { name: /Research/ }).click()
      await admin.getByRole('button', { name: 'Workspace: Research' }).waitFor()
      await grace.goto(ui.server.url + (await invite(admin, /Member/)))
      const second = tenantOf(admin)
      await grace.getByText('You are signed in as grace@example.org.').waitFor()
      await expectAccessibleInThemes(grace, 'an invite for an account')
      expectQuietConsole(grace)
      await grace.getByRole('button', { name: 'Join as grace' }).click()
      await grace.waitForURL(`**/o/${second}`)

      await grace.goto(`${ui.server.url}/o/${second}/settings/workspace`)
      await grace.getByText('Your role').waitFor()
      await grace.getByRole('button', { name: 'Open the menu' }).click()
      await openSwitcher(grace)
      await grace.getByRole('menuitem', { name: 'Research Member' }).waitFor()
      await grace.getByRole('menuitem', { name: 'Acme Viewer' }).waitFor()
      await expectAccessibleInThemes(grace, 'the menu of workspaces on a phone')
      await grace.keyboard.press('Escape')
      await grace.keyboard.press('Escape')

      await grace.goto(`${ui.server.url}/account`)
      await grace.getByRole('button', { name: 'Leave Research' }).click()
      await expectAccessibleInThemes(grace, 'leaving a workspace')
      expectQuietConsole(grace)
      const reloaded = grace.waitForEvent('load')
      await grace.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click()
      await reloaded
      await grace.getByRole('button', { name: 'Leave Acme' }).waitFor()
      expect(await grace.getByRole('button', { name: 'Leave Research' }).count()).toBe(0)
      await grace.goto(`${ui.server.url}/o/${second}/projects`)
      await grace.waitForURL(`**/o/${first}/projects`)
      expect(await grace.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    })

    await step('that removed the user redirect to another workspace', async () => {
      const grace = await ui.open('/login')
      await grace.getByLabel('Email').fill('grace@example.org')
      await grace.getByLabel('Password').fill(PASSWORD)
      await grace.getByRole('button', { name: 'Sign in' }).click()
      await grace.waitForURL('**/o/*')
      const first = tenantOf(grace)
      await grace.goto(ui.server.url + (await invite(admin, /Member/)))
      await grace.getByRole('button', { name: 'Join as grace' }).click()
      await grace.getByRole('button', { name: 'Workspace: Research' }).waitFor()
      await admin.reload()
      await admin.getByRole('button', { name: 'Remove grace' }).click()
      await expectAccessibleInThemes(admin, 'the only member')
      expectQuietConsole(admin)
      await admin.getByRole('button', { name: 'Remove', exact: true }).click()
      await admin.getByText('Removed grace').waitFor()
      await grace.reload()
      await grace.waitForURL(`**/o/${first}`)
      await grace.getByRole('button', { name: 'Workspace: Acme' }).waitFor()
      expect(getConsoleMessages(grace).filter((text) => !text.includes('403'))).toEqual([])
    })

    await step('are deleted after their name is typed, and the page opens another workspace', async () => {
      const second = tenantOf(admin)
      await admin.goto(`${ui.server.url}/o/${second}/settings/workspace`)
      await admin.getByRole('button', { name: 'Delete this workspace' }).click()
      const dialog = admin.getByRole('dialog', { name: 'Delete Research?' })
      const confirm = dialog.getByRole('button', { name: 'Delete workspace' })
      await dialog.getByRole('textbox').fill('Resear')
      expect(await confirm.isDisabled()).toBe(true)
      await expectAccessibleInThemes(admin, 'deleting a workspace')
      expectQuietConsole(admin)
      await dialog.getByRole('textbox').fill('Research')
      await admin.keyboard.press('Enter')
      await admin.getByRole('button', { name: 'Workspace: Acme' }).waitFor()
      expect(tenantOf(admin)).not.toBe(second)
      await openSwitcher(admin)
      expect(await admin.getByRole('menuitem', { name: /Research/ }).count()).toBe(0)
      await admin.keyboard.press('Escape')
      await admin.goto(`${ui.server.url}/settings/workspace`)
      await admin.getByText('This is your only workspace.').waitFor()
      expect(await admin.getByRole('button', { name: 'Delete this workspace' }).isDisabled()).toBe(true)
      await expectAccessibleInThemes(admin, 'the last workspace')
      expectQuietConsole(admin)
    })
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { expectQuietConsole, PHONE, startUi, type Ui } from '../support/start-ui.ts'

const PASSWORD = 'correct horse'

describe('the backups page', () => {
  let root: string
  let ui: Ui
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'touchstone-backups-ui-'))
    ui = await startUi({ args: ['--backup-dir', join(root, 'nightly backups')] })
  })
  afterAll(async () => {
    await ui?.stop()
    await rm(root, { recursive: true, force: true })
  })

  const expectToFit = async (page: Page) =>
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)

  it('creates a backup by keyboard, shows its progress and how to restore it', async () => {
    const page = await ui.open('/settings/backups')
    await page.getByRole('heading', { name: 'No backups yet' }).waitFor()
    await expectAccessibleInThemes(page, 'no backups')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Create backup' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('progressbar', { name: 'Backup progress' }).waitFor()
    expect(await page.getByRole('button', { name: 'Create backup' }).isDisabled()).toBe(true)
    await page.getByRole('cell', { name: 'Complete' }).waitFor({ timeout: 60_000 })
    expect(await page.getByRole('button', { name: 'Create backup' }).isEnabled()).toBe(true)
    await expectAccessibleInThemes(page, 'a backup')
    expectQuietConsole(page)

    await page.getByRole('button', { name: /^Restore backup of/ }).focus()
    await page.keyboard.press('Enter')
    const command = page.getByRole('region', { name: /^2\. Restore it/ })
    const [, path] = /^touchstone backup restore \\\n {2}'(.+)' \\\n {2}--data-dir \S+$/.exec(
      (await command.textContent())!,
    )!
    expect(path).toContain(join(root, 'nightly backups/touchstone-'))
    await page.getByRole('button', { name: 'Copy' }).nth(1).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await command.textContent())
    await expectAccessibleInThemes(page, 'restoring a backup')
    expectQuietConsole(page)
    await page.keyboard.press('Escape')
    await command.waitFor({ state: 'detached' })
  })

  it('fits a phone, in the dark', async () => {
    const page = await ui.open('/settings/backups', { size: PHONE, theme: 'dark' })
    await page.getByText('Complete', { exact: true }).waitFor()
    await expectToFit(page)
    await expectAccessibleInThemes(page, 'backups on a phone')
    expectQuietConsole(page)
    await page.getByRole('button', { name: /^Restore backup of/ }).click()
    await page.getByRole('dialog').waitFor()
    await expectToFit(page)
    await expectAccessibleInThemes(page, 'restoring on a phone')
    expectQuietConsole(page)
  })

  it('is refused to workspace admins who are not administrators of the server', async () => {
    const admin = await ui.open('/setup')
    await admin.getByLabel('Email').fill('ada@example.org')
    await admin.getByLabel('Password').fill(PASSWORD)
    await admin.getByLabel('Workspace name').fill('Acme')
    await admin.getByLabel('Project name').fill('support-bot')
    await admin.keyboard.press('Enter')
    await admin.getByText("You won't see it again").waitFor()
    await admin.goto(`${ui.server.url}/settings/members`)
    await admin.getByRole('button', { name: 'Invite' }).click()
    await admin.getByRole('radio', { name: /Admin/ }).check()
    await admin.getByRole('button', { name: 'Create link' }).click()
    const link = (await admin.getByRole('region', { name: 'Invitation' }).textContent())!.trim()

    const grace = await ui.open(new URL(link).pathname)
    await grace.getByLabel('Email').fill('grace@example.org')
    await grace.getByLabel('Password').fill(PASSWORD)
    await grace.getByRole('button', { name: 'Join', exact: true }).click()
    await grace.waitForURL('**/o/*')
    await grace.goto(`${ui.server.url}/settings/backups`)
    await grace.getByRole('heading', { name: 'Only server administrators can manage backups' }).waitFor()
    expect(await grace.getByRole('button', { name: 'Create backup' }).count()).toBe(0)
    await expectAccessibleInThemes(grace, 'backups without the right')
    expectQuietConsole(grace)

    await admin.goto(`${ui.server.url}/settings/backups`)
    await admin.getByRole('button', { name: 'Create backup' }).waitFor()
  })
})

describe('the backups page of a server without a backup directory', () => {
  let ui: Ui
  beforeAll(async () => {
    ui = await startUi()
  })
  afterAll(() => ui?.stop())

  it('explains how to set one', async () => {
    const page = await ui.open('/settings/backups', { size: PHONE })
    await page.getByRole('heading', { name: 'No backup directory' }).waitFor()
    await page.getByText('npm start -- --backup-dir /mnt/backups').waitFor()
    expect(await page.getByRole('button', { name: 'Create backup' }).count()).toBe(0)
    expectQuietConsole(page)
  })
})

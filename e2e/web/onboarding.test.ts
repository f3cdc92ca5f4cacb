import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound, PHONE, startUi, type Ui } from '../support/start-ui.ts'

const run = promisify(execFile)

describe('a project without runs', () => {
  let ui: Ui
  beforeAll(async () => {
    ui = await startUi()
  })
  afterAll(() => ui?.stop())

  it('shows how to send a run, and opens the first trace without a reload', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
    await page.getByRole('link', { name: 'default', exact: true }).click()
    await page.waitForURL('**/projects/p/**')
    await page.getByText('Waiting for the first trace').waitFor()
    await expectSound(page)

    await page.getByRole('tab', { name: 'curl' }).click()
    const command = await page.getByRole('region', { name: 'curl' }).textContent()
    await run('sh', ['-c', command!])

    await page.getByText('First trace received:').waitFor()
    await page.getByRole('link', { name: 'Open trace' }).click()
    await page.waitForURL('**/r/**')
    await page.getByText('Hello, Touchstone!').first().waitFor()
  })

  it('fits a phone, in the dark theme', async () => {
    const page = await ui.open('/projects', { size: PHONE, theme: 'dark' })
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('on a phone')
    await page.keyboard.press('Enter')
    await page.getByText('Waiting for the first trace').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    await expectSound(page)
  })
})

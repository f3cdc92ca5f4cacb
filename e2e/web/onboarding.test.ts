import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectQuietConsole, PHONE, startUi, type Ui } from '../support/start-ui.ts'

const run = promisify(execFile)
const cache = fileURLToPath(new URL('../../.cache', import.meta.url))

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
    expectQuietConsole(page)

    await page.getByRole('radio', { name: 'curl' }).click()
    const command = await page.getByRole('region', { name: 'curl' }).textContent()
    await run('sh', ['-c', command!])

    await page.getByText('First trace received:').waitFor()
    await page.getByRole('link', { name: 'Open trace' }).click()
    await page.waitForURL('**/r/**')
    const details = page.getByRole('region', { name: 'Run details' })
    await details.getByRole('article').filter({ hasText: 'user' }).getByText('Touchstone', { exact: true }).waitFor()
    await details.getByRole('article').filter({ hasText: 'assistant' }).getByText('Hello, Touchstone!').waitFor()
  })

  it('has a TypeScript program that works as pasted, and whose trace shows both sides', async () => {
    const page = await ui.open('/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('from TypeScript')
    await page.keyboard.press('Enter')
    await page.getByText('Waiting for the first trace').waitFor()
    await page.getByRole('radio', { name: 'TypeScript' }).click()
    const program = await page.getByRole('region', { name: 'TypeScript' }).textContent()
    const environment = await page.getByRole('region', { name: 'Environment' }).textContent()
    // Inside the repository, so that the program finds the public client.
    mkdirSync(cache, { recursive: true })
    const folder = mkdtempSync(join(cache, 'onboarding-'))
    try {
      writeFileSync(join(folder, 'greet.mts'), program ?? '')
      const { stdout } = await run('sh', ['-c', `${environment}\nnpx tsx greet.mts`], { cwd: folder })
      expect(stdout).toContain('Hello, Touchstone!')
    } finally {
      rmSync(folder, { recursive: true })
    }
    await page.getByRole('link', { name: 'Open trace' }).click()
    const details = page.getByRole('region', { name: 'Run details' })
    await details.getByRole('article').filter({ hasText: 'user' }).getByText('Touchstone', { exact: true }).waitFor()
    await details.getByRole('article').filter({ hasText: 'assistant' }).getByText('Hello, Touchstone!').waitFor()
    expectQuietConsole(page)
  })

  it('fits a phone, in the dark theme', async () => {
    const page = await ui.open('/projects', { size: PHONE, theme: 'dark' })
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('on a phone')
    await page.keyboard.press('Enter')
    await page.getByText('Waiting for the first trace').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })
})

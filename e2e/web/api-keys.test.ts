import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { expectQuietConsole, getConsoleMessages, PHONE, startUi, type Ui } from '../support/start-ui.ts'

describe('API keys', () => {
  let ui: Ui
  let key: string
  beforeAll(async () => {
    ui = await startUi()
  })
  afterAll(() => ui?.stop())

  const status = async (withKey?: string) =>
    (await fetch(`${ui.server.url}/api/v1/sessions`, { headers: withKey ? { 'x-api-key': withKey } : {} })).status

  it('close the server once the first one is created, and sign this browser in with it', async () => {
    const page = await ui.open('/settings/api-keys')
    expect(await status()).toBe(200)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('laptop')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('heading', { name: 'Copy your API key' }).waitFor()
    key = (await page.getByRole('region', { name: 'API key' }).textContent())!.trim()
    await expectAccessibleInThemes(page, 'a new key')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('row', { name: /laptop/ }).waitFor()
    expect(await page.content()).not.toContain(key)
    expect([await status(), await status(key)]).toEqual([401, 200])
    await page.goto(`${ui.server.url}/projects`)
    await page.getByRole('grid', { name: 'Projects' }).waitFor()
  })

  it('are required at sign-in, and `next` leads back', async () => {
    const page = await ui.open('/projects?q=def')
    await page.waitForURL('**/login?next=**')
    await expectSoundDespite401(page)
    await page.getByLabel('API key').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('This key is invalid').waitFor()
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/projects?q=def')
    await page.getByRole('grid', { name: 'Projects' }).waitFor()
  })

  it('appear in the onboarding snippet of a closed server', async () => {
    const page = await ui.open('/projects', { key })
    await page.getByRole('link', { name: 'default', exact: true }).click()
    await page.waitForURL('**/projects/p/**')
    await page.getByRole('grid').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create key and fill in' }).click()
    await page.getByText("You won't see it again").waitFor()
    const environment = await page.getByRole('region', { name: 'Environment' }).textContent()
    const minted = /LANGSMITH_API_KEY=(\S+)/.exec(environment!)![1]!
    expect(await status(minted)).toBe(200)
  })

  it('are revoked at once after a confirmation', async () => {
    const page = await ui.open('/settings/api-keys', { key })
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('short-lived')
    await page.getByRole('radio', { name: /Viewer/ }).check()
    await page.getByRole('button', { name: 'Create key' }).click()
    const other = (await page.getByRole('region', { name: 'API key' }).textContent())!.trim()
    await page.getByRole('button', { name: 'Done' }).click()
    expect(await status(other)).toBe(200)

    await page.getByRole('button', { name: 'Revoke short-lived' }).click()
    await page.getByText('so it is probably still in use').waitFor()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('Revoked short-lived').waitFor()
    expect(await status(other)).toBe(401)
    await expectAccessibleInThemes(page, 'keys')
    expectQuietConsole(page)
  })

  it('fit a phone, in the dark', async () => {
    const page = await ui.open('/settings/api-keys', { key, size: PHONE, theme: 'dark' })
    await page.getByText('laptop').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    await expectAccessibleInThemes(page, 'keys on a phone')
    expectQuietConsole(page)
  })
})

/** The browser itself logs refused requests to the console. */
async function expectSoundDespite401(page: Awaited<ReturnType<Ui['open']>>) {
  expect(getConsoleMessages(page).filter((text) => !text.includes('401'))).toEqual([])
}

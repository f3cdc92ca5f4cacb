import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

const KEY = 'sk-journey-0123456789-LAST'

let ui: Ui
let client: Client
let fake: FakeProvider
beforeAll(async () => {
  fake = await startFakeProvider({ key: KEY })
  // A server on loopback may call providers on loopback.
  ui = await openWorkspace()
  client = new Client({ apiUrl: `${ui.server.url}/api/v1`, webUrl: ui.server.url })
})
afterAll(async () => {
  await ui?.stop()
  await fake?.close()
})

describe('providers of models', () => {
  it('are added with a preset, tested, changed and deleted', async () => {
    const page = await ui.open(`/o/${ui.tenant}/settings/providers`)
    await page.getByRole('heading', { name: 'No providers yet' }).waitFor()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Add provider' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add provider' })
    await chooseOption(dialog.getByRole('combobox', { name: 'Provider' }), 'vLLM')
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill(fake.url)
    await dialog.getByRole('button', { name: 'Test' }).click()
    await dialog.getByText(/requires a key \(401\)/).waitFor()
    await dialog.getByText('Incorrect API key provided.', { exact: true }).waitFor()
    await expectAccessibleInThemes(page, 'a provider that refuses')
    expectQuietConsole(page)
    await dialog.getByLabel('API key').fill(KEY)
    await dialog.getByRole('combobox', { name: 'Model to call' }).fill('fake-nothing')
    await dialog.getByRole('button', { name: 'Test' }).click()
    await dialog.getByText('does not know the model "fake-nothing"').waitFor()
    await dialog.getByRole('combobox', { name: 'Model to call' }).fill('fake-model')
    await dialog.getByRole('button', { name: 'Test' }).click()
    await dialog.getByText('It works.').waitFor()
    await dialog.getByText(/fake-model answered in/).waitFor()
    expectQuietConsole(page)
    await dialog.getByRole('button', { name: 'Add provider' }).click()

    const card = page.getByRole('article', { name: 'vLLM' })
    await card.getByText('LAST').waitFor()
    await card.getByRole('button', { name: 'Models' }).click()
    await card.getByText('fake-reasoning').waitFor()
    await card.getByRole('button', { name: 'Test' }).click()
    await card.getByRole('button', { name: 'Test', exact: true }).last().click()
    await card.getByText('It works.').waitFor()
    await expectAccessibleInThemes(page, 'models of a provider')
    expectQuietConsole(page)

    await card.getByRole('button', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit vLLM' })
    await edit.getByRole('textbox', { name: 'Base URL' }).fill(`${fake.url}/elsewhere`)
    await edit.getByText('It is removed unless you enter it again').waitFor()
    await edit.getByRole('button', { name: 'Save' }).click()
    await card.getByText('No key').waitFor()
    expect((await client.listModelProviders())[0]).toMatchObject({ key_set: false, key_last_four: null })
    await card.getByRole('button', { name: 'Actions of vLLM' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete provider' }).click()
    await page.getByRole('heading', { name: 'No providers yet' }).waitFor()
  })

  it('fit a phone', async () => {
    const long = `A gateway of the platform team ${'x'.repeat(60)}`
    await client.createModelProvider({ name: long, kind: 'openai-chat', base_url: fake.url, key: KEY })
    const page = await ui.open(`/o/${ui.tenant}/settings/providers`, { size: PHONE })
    await page.getByRole('article', { name: long }).waitFor()
    await expectAccessibleInThemes(page, 'a provider with a long name')
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog').waitFor()
    expectQuietConsole(page)
  })
})

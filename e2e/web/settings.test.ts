import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { type SeededTrace, seedTraces } from '../support/seed-traces.ts'
import { expectQuietConsole, openWorkspace, type Ui } from '../support/start-ui.ts'

type Page = Awaited<ReturnType<Ui['open']>>

let ui: Ui
let traces: SeededTrace[]
beforeAll(async () => {
  ui = await openWorkspace()
  traces = await seedTraces({ url: ui.server.url, project: 'support-bot', traces: 12 })
})
afterAll(() => ui?.stop())

async function api<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${ui.server.url}/api/v1${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  expect(response.ok, await response.clone().text()).toBe(true)
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

describe('the settings', () => {
  it('preview changes, ask before unsaved changes are left, and save', async () => {
    const page = await ui.open('/settings/workspace')
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Acme')
    await page.getByText('Name Default → Acme').waitFor()
    await page.getByRole('link', { name: 'Preferences' }).click()
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Stay' }).click()
    expect(await name.inputValue()).toBe('Acme')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved workspace').waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByText('Acme').waitFor()
    await name.fill('Other')
    await page.getByRole('button', { name: 'Discard' }).click()
    expect(await name.inputValue()).toBe('Acme')
    await page.getByRole('link', { name: 'Preferences' }).click()
    await page.waitForURL('**/settings/preferences')
  })

  it('keep preferences that apply to every page', async () => {
    const page = await ui.open('/settings/preferences')
    await page
      .getByRole('radiogroup', { name: 'Density' })
      .or(page.getByRole('group', { name: 'Density' }))
      .waitFor()
    await page.getByRole('radio', { name: 'Comfortable' }).click()
    await page.getByRole('radio', { name: 'UTC' }).click()
    await page.getByRole('radio', { name: 'Reduced' }).click()
    expect(await page.evaluate(() => document.documentElement.dataset.motion)).toBe('reduced')
    await page.goto(`${ui.server.url}/projects`)
    const row = page.getByRole('row', { name: /support-bot/ })
    expect((await row.boundingBox())?.height).toBe(36)
    await page.reload()
    expect((await row.boundingBox())?.height).toBe(36)
  })
})

describe('feedback configs', () => {
  it('are created for keys without one, with errors at their fields', async () => {
    for (const { id } of traces.slice(0, 3)) await api('POST', '/feedback', { run_id: id, key: 'tone', score: 1 })
    const page = await ui.open('/settings/feedback')
    const row = page.getByRole('row', { name: /tone/ })
    await row.getByText('Not defined').waitFor()
    await row.getByText('3', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Define tone' }).click()
    await page.getByLabel('Minimum').fill('5')
    await page.getByLabel('Maximum').fill('1')
    await page.getByRole('button', { name: 'Create' }).click()
    const lowest = page.getByLabel('Minimum')
    await page.getByRole('alert').getByText('is greater than max').waitFor()
    expect(await lowest.getAttribute('aria-invalid')).toBe('true')
    await lowest.fill('0')
    await page.getByRole('checkbox', { name: /Lower is better/ }).check()
    await page.getByRole('button', { name: 'Create' }).click()
    await row.getByText('0 to 1').waitFor()
    await row.getByText('lower').waitFor()
  })

  it('have categories, are edited, and are deleted without their feedback', async () => {
    const page = await ui.open('/settings/feedback', { theme: 'dark' })
    await page.getByRole('button', { name: 'New feedback key' }).click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Enter a key.').waitFor()
    await page.getByRole('textbox', { name: 'Key' }).fill('verdict')
    await page.getByRole('radio', { name: 'Category' }).click()
    await page.getByLabel('Label of category 1').fill('pass')
    await page.getByRole('button', { name: 'Remove category 2' }).click()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Create' }).click()
    const row = page.getByRole('row', { name: /verdict/ })
    await row.getByText('pass 1').waitFor()
    await page.getByRole('button', { name: 'Edit verdict' }).click()
    await page.getByRole('radio', { name: 'Free text' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await row.getByText('any text').waitFor()
    await page.getByRole('button', { name: 'Delete verdict' }).click()
    await page.getByRole('button', { name: 'Delete definition' }).click()
    await row.waitFor({ state: 'detached' })
  })
})

describe('model prices', () => {
  it('add a price for an unpriced model, applied to new runs', async () => {
    await sendModelRun('custom-large')
    const page = await ui.open('/settings/prices')
    await page.getByText('Their runs have no known cost until you add a price').waitFor()
    await page.getByRole('button', { name: 'Add price for custom-large' }).click()
    expect(await page.getByLabel('Match pattern').inputValue()).toBe('^custom-large$')
    expectQuietConsole(page)
    await page.getByLabel('Match pattern').fill('^custom-(')
    await page.getByLabel('Input', { exact: true }).fill('2.5')
    await page.getByLabel('Output', { exact: true }).fill('10')
    await page.getByRole('button', { name: 'Add price' }).last().click()
    await page.getByRole('alert').getByText('is not valid').waitFor()
    await page.getByLabel('Match pattern').fill('^custom-')
    await page.getByRole('button', { name: 'Add price' }).last().click()
    await page.getByText('Priced as custom-large').waitFor()
    await page.getByRole('dialog', { name: 'Price stored runs of custom-large again' }).waitFor()
    await page.getByRole('button', { name: 'Not now' }).click()
    await page.getByRole('table', { name: 'Custom prices' }).getByText('$2.5').waitFor()
    await sendModelRun('custom-large')
    const { models } = await api<{ models: { run_count: number }[] }>('GET', '/model-price-map/unpriced')
    expect(models.map((model) => model.run_count)).toEqual([1])
  })

  it('are entered from the monitor of a project, and price its stored runs until they are undone', async () => {
    await sendModelRun('billed-late')
    const [project] = await api<{ id: string }[]>('GET', '/sessions?name=support-bot')
    const page = await ui.open(`/projects/p/${project?.id}/monitor`)
    const notice = page.getByRole('region', { name: 'Models without a price' })
    await notice.getByText('without a cost').waitFor()
    await notice.getByRole('link', { name: 'Add price for billed-late' }).click()
    expect(await page.getByLabel('Match pattern').inputValue()).toBe('^billed-late$')
    await page.getByLabel('Input', { exact: true }).fill('10')
    await page.getByLabel('Output', { exact: true }).fill('0')
    await page.getByRole('button', { name: 'Add price' }).last().click()
    const dialog = page.getByRole('dialog', { name: 'Price stored runs of billed-late again' })
    await dialog.getByText('1 of 1 run', { exact: true }).waitFor()
    await expectAccessibleInThemes(page, 'an estimate of new costs')
    await dialog.getByRole('button', { name: 'Price 1 run again' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).search).toBe('')
    const jobs = page.getByRole('region', { name: 'Stored runs that were priced again' })
    await jobs.getByText('1 run changed, unknown → $0.001').waitFor()
    await page.getByRole('button', { name: 'Add price for billed-late' }).waitFor({ state: 'detached' })
    await jobs.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Price stored runs of billed-late' }).waitFor()
    expectQuietConsole(page)
  })

  it('are found by their model, unfold to all of its prices, and fit every width', async () => {
    const page = await ui.open('/settings/prices')
    const table = page.getByRole('table', { name: 'Built-in prices' })
    const other = table.getByRole('rowheader', { name: 'claude-opus-4', exact: true })
    await other.waitFor()
    await page.getByRole('searchbox', { name: 'Search models' }).fill('gpt-4o')
    await other.waitFor({ state: 'detached' })
    await table.getByRole('button', { name: 'gpt-4o 3 prices' }).click()
    await table.getByText('before 2024-10-02').waitFor()
    await table.getByRole('link', { name: 'developers.openai.com/api/docs/pricing' }).first().waitFor()
    await table.getByRole('button', { name: 'Actions for gpt-4o-mini', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Override…' }).click()
    expect(await page.getByLabel('Match pattern').inputValue()).toContain('gpt-4o-mini')
    await page.keyboard.press('Escape')
    for (const width of [1024, 720, 390]) {
      await page.setViewportSize({ width, height: 800 })
      // The page follows a new width when it hears of it.
      const getOverflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      await expect.poll(getOverflow).toBeLessThanOrEqual(0)
      const getRight = () => table.boundingBox().then((box) => box && box.x + box.width)
      await expect.poll(getRight).toBeLessThanOrEqual(width)
    }
  })

  it('test the price of a model name', async () => {
    const page = await ui.open('/settings/prices')
    await page.getByLabel('Test a model name').fill('gpt-4o-mini-2024-07-18')
    await page.getByRole('table', { name: 'Matching price' }).getByText('$0.15').waitFor()
    await page.getByLabel('Test a model name').fill('unknown-model')
    await page.getByText('No price matches').waitFor()
    expectQuietConsole(page)
  })
})

async function sendModelRun(model: string) {
  const id = crypto.randomUUID()
  const start = new Date().toISOString()
  const run = {
    ...{ id, trace_id: id, name: 'call', run_type: 'llm', session_name: 'support-bot' },
    ...{ start_time: start, end_time: start, extra: { metadata: { ls_model_name: model } } },
    dotted_order: `${start.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`,
    outputs: { usage_metadata: { input_tokens: 100, output_tokens: 10, total_tokens: 110 } },
  }
  await api('POST', '/runs/batch', { post: [run] })
}

describe('public links', () => {
  it('are listed with their targets, and closed one by one or together', async () => {
    for (const { id } of traces.slice(0, 3)) await api('PUT', `/runs/${id}/share`, {})
    const [first] = await sharedTokens()
    const page: Page = await ui.open('/settings/shared')
    await page.getByText('3 public links').waitFor()
    await page
      .getByRole('button', { name: /^Revoke rag_chain|^Revoke support_agent|^Revoke answer/ })
      .first()
      .click()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('2 public links').waitFor()
    expect(await sharedTokens()).not.toContain(first)
    await page.getByRole('checkbox', { name: 'Select all' }).check()
    await page.getByRole('button', { name: 'Revoke 2 links' }).click()
    await page.getByLabel('Type 2 to confirm').fill('2')
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('heading', { name: 'No public links' }).waitFor()
    expect(await sharedTokens()).toEqual([])
  })
})

async function sharedTokens(): Promise<string[]> {
  const { entities } = await api<{ entities: { share_token: string }[] }>('GET', '/workspaces/current/shared')
  return entities.map((entity) => entity.share_token)
}

it('usage is shown by day and by project, with links to the runs', async () => {
  const page = await ui.open('/settings/usage?metric=tokens&days=7')
  await page.getByRole('slider', { name: 'Tokens by day' }).waitFor()
  await page.getByRole('button', { name: 'Show days of support-bot' }).click()
  await page.waitForURL('**project=**')
  await page.getByText('in support-bot').waitFor()
  await page.getByRole('slider', { name: 'Tokens by day' }).press('ArrowLeft')
  expectQuietConsole(page)
  await page.getByRole('link', { name: 'support-bot' }).click()
  await page.waitForURL('**/projects/p/**')
  await page.getByRole('grid', { name: 'Traces' }).waitFor()
})

it('usage is shown by model, sorted, as a file, and with links to the runs', async () => {
  const page = await ui.open('/settings/usage?days=7')
  const models = page.getByRole('region', { name: 'By model' })
  await models.getByRole('button', { name: 'Tokens' }).click()
  await page.waitForURL('**sort=-tokens**')
  await models.locator('[aria-sort=descending]', { hasText: 'Tokens' }).waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), models.getByRole('button', { name: 'CSV' }).click()])
  expect(file.suggestedFilename()).toBe('usage-by-model.csv')
  const row = models.getByRole('row').nth(1)
  const count = await row.getByRole('cell').first().textContent()
  await row.getByRole('link').click()
  await page.getByRole('grid', { name: 'Runs' }).waitFor()
  await expect.poll(() => page.locator('[data-row]').count(), { timeout: 10_000 }).toBe(Number(count))
})

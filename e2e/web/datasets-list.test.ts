import { Client } from '@touchstone/sdk'
import { evaluate } from '@touchstone/sdk/evaluation'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseOption } from '../support/choose-option.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

const HOSTILE = '<img src=x onerror=alert(1)> & "quoted"'

describe('the list of datasets', () => {
  let ui: Ui
  let client: Client
  beforeAll(async () => {
    ui = await openWorkspace()
    client = new Client({ apiUrl: `${ui.server.url}/api/v1` })
  })
  afterAll(() => ui?.stop())

  it('shows how to start in an empty workspace, and creates a dataset', async () => {
    const page = await ui.open('/datasets')
    await page.getByRole('heading', { name: 'No datasets yet' }).waitFor()
    await page.getByRole('link', { name: 'Add runs from a project' }).waitFor()
    await page.getByText('client.create_dataset("capitals")').waitFor()
    expectQuietConsole(page)

    await page.getByRole('button', { name: 'Create dataset' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('qa-golden')
    const type = page.getByRole('combobox', { name: 'Type of the examples' })
    await chooseOption(type, 'Chat: messages in and out')
    expectQuietConsole(page)
    await page.keyboard.press('Control+Enter')
    await page.waitForURL('**/datasets/*-*')
    const path = page.getByRole('navigation', { name: 'Breadcrumb' })
    await path.getByRole('link', { name: 'qa-golden' }).waitFor()
    const [dataset] = await client.queryDatasets({ name: 'qa-golden' })
    expect(dataset?.data_type).toBe('chat')
  })

  describe('with experiments', () => {
    let datasetId: string
    beforeAll(async () => {
      const dataset = await client.createDataset('capitals', { metadata: { team: 'geography' } })
      datasetId = dataset.id
      await client.createExamples(
        ['Paris', 'Rome', 'Oslo', 'Bern'].map((capital, at) => ({
          dataset_id: dataset.id,
          inputs: { country: at },
          outputs: { capital },
          split: at < 2 ? ['train'] : ['test'],
        })),
      )
      await client.createDataset(HOSTILE, { description: HOSTILE })
      const run = async (experimentPrefix: string, score: number) => {
        const results = await evaluate((inputs: { country: number }) => ({ capital: inputs.country }), {
          client,
          data: 'capitals',
          experimentPrefix,
          evaluators: [() => ({ key: 'correct', score })],
        })
        return client.readProject({ projectName: results.experimentName })
      }
      const first = await run('first', 0.5)
      await client.updateDataset({ datasetId, baselineExperimentId: first.id })
      const second = await run('second', 0.75)
      await client.updateProject(second.id, { metadata: { git: { author_name: 'Ada' } } })
    })

    it('shows the newest experiment with its author, its metric and the change from the baseline', async () => {
      const page = await ui.open(`/o/${ui.tenant}/datasets`, { theme: 'dark' })
      const row = page.getByRole('row', { name: /capitals/ })
      await row.getByText('0.75').waitFor()
      await row.getByText('+0.25').waitFor()
      await row.getByText(/by Ada$/).waitFor()
      await row.getByText('test, train').waitFor()
      expect(await row.getByRole('link', { name: 'Experiments of capitals' }).textContent()).toBe('2')
      await page.getByText('3 datasets').waitFor()
      await page.getByRole('row', { name: /<img src=x/ }).waitFor()
      expectQuietConsole(page)

      await row.getByRole('link', { name: /^second/ }).click()
      await page.waitForURL(`**/datasets/${datasetId}/compare?selectedSessions=*`)
    })

    it('searches and sorts, and keeps both in the URL', async () => {
      const page = await ui.open(`/o/${ui.tenant}/datasets`)
      await page.getByRole('button', { name: 'Examples' }).click()
      await page.waitForURL('**/datasets?sort=-examples')
      await page.locator('[aria-sort=descending]', { hasText: 'Examples' }).waitFor()
      expect(await page.getByRole('row').nth(1).textContent()).toContain('capitals')
      await page.keyboard.press('/')
      await page.keyboard.type('geography')
      await page.getByText('1 of 3 datasets').waitFor()
      await page.getByRole('searchbox', { name: 'Search datasets' }).fill('nothing like this')
      await page.getByRole('button', { name: 'Clear search' }).click()
      await page.getByText('3 datasets', { exact: true }).waitFor()
    })

    it('renames, shares and deletes by the menu of a row', async () => {
      const page = await ui.open(`/o/${ui.tenant}/datasets`)
      await page.getByRole('button', { name: 'Actions of qa-golden' }).click()
      await page.getByRole('menuitem', { name: 'Rename…' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('capitals')
      await page.keyboard.press('Enter')
      await page.getByText('Another dataset has this name.').waitFor()
      await page.getByRole('textbox', { name: 'Name' }).fill('renamed')
      await page.keyboard.press('Enter')

      await page.getByRole('button', { name: 'Actions of renamed' }).click()
      await page.getByRole('menuitem', { name: 'Share…' }).click()
      await page.getByRole('button', { name: 'Create public link' }).click()
      const link = page.getByRole('textbox', { name: 'Public link' })
      await link.waitFor()
      expect(await link.inputValue()).toMatch(/\/public\/[0-9a-f-]{36}\/d$/)
      await page.getByRole('button', { name: 'Revoke link' }).click()
      await page.getByRole('button', { name: 'Create public link' }).waitFor()
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'Actions of renamed' }).click()
      await page.getByRole('menuitem', { name: 'Delete…' }).click()
      const remove = page.getByRole('button', { name: 'Delete dataset' })
      expect(await remove.isDisabled()).toBe(true)
      await page.getByLabel('Type renamed to confirm').fill('renamed')
      await remove.click()
      await page.getByRole('row', { name: /renamed/ }).waitFor({ state: 'detached' })
    })

    it('copies a public dataset of this server', async () => {
      const { share_token } = await client.shareDataset(datasetId)
      const page = await ui.open(`/o/${ui.tenant}/datasets?clone=${share_token}`)
      await page.getByText('4 examples will be copied').waitFor()
      await page.getByRole('textbox', { name: 'Name of the copy' }).fill('capitals copy')
      await page.getByRole('button', { name: 'Create copy' }).click()
      await page.waitForURL('**/datasets/*-*')
      const copy = await client.readDataset({ datasetName: 'capitals copy' })
      expect(copy.example_count).toBe(4)
      expect(await client.listDatasetSplits({ datasetId: copy.id })).toEqual(['test', 'train'])
      await client.deleteDataset({ datasetId: copy.id })
    })

    it('edits the settings: schemas are refused while examples do not satisfy them', async () => {
      const page = await ui.open(`/o/${ui.tenant}/datasets/${datasetId}/settings`)
      const schemas = page.getByRole('region', { name: 'Schemas' })
      const editor = schemas.getByRole('textbox', { name: 'Schema of inputs' })
      await editor.fill('{"type": ')
      await schemas.getByText(/^Line 1:/).waitFor()
      expect(await schemas.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
      await editor.fill('{"type": "object", "required": ["city"]}')
      await schemas.getByRole('button', { name: 'Save' }).click()
      await schemas.getByText('Could not save Schemas').waitFor()
      await editor.fill('{"type": "object", "required": ["country"]}')
      await schemas.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved the schemas').waitFor()
      const { inputs_schema_definition } = await client.readDataset({ datasetId })
      expect(inputs_schema_definition).toEqual({ type: 'object', required: ['country'] })
    })

    it('is found by the command palette, by an id and from Home', async () => {
      const page = await ui.open(`/o/${ui.tenant}`)
      const last = page.getByRole('region', { name: 'Last experiments' })
      await last.getByText('+0.25').waitFor()
      expectQuietConsole(page)
      await last.getByRole('link', { name: /^second/ }).click()
      await page.waitForURL(`**/datasets/${datasetId}/compare?selectedSessions=*`)

      await page.keyboard.press('Control+k')
      await page.getByPlaceholder('Search, or paste an ID or a link').fill('first-')
      await page.getByRole('option', { name: /^first-/ }).click()
      await page.waitForURL(`**/compare?selectedSessions=*`)
      await page.goto(`${ui.server.url}/go/${datasetId}`)
      await page.waitForURL(`**/o/${ui.tenant}/datasets/${datasetId}`)
    })

    it('switches to another dataset on the same tab', async () => {
      const page = await ui.open(`/o/${ui.tenant}/datasets/${datasetId}/settings`)
      await page.getByRole('button', { name: 'Switch dataset' }).click()
      await page.getByRole('dialog').getByRole('link', { name: HOSTILE }).click()
      await page.getByRole('textbox', { name: 'Name' }).waitFor()
      await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/settings$/)
      await expect.poll(() => page.url()).not.toContain(datasetId)
    })

    it('fits a phone', async () => {
      const page = await ui.open(`/o/${ui.tenant}/datasets`, { size: PHONE })
      await page.getByText('4 examples').waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
      expectQuietConsole(page)
    })
  })
})

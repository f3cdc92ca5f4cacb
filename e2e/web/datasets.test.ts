import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound, PHONE, startUi, type Ui } from '../support/start-ui.ts'

const SCHEMA = {
  type: 'object',
  required: ['question'],
  properties: { question: { type: 'string' }, level: { type: 'integer' } },
}

describe('the examples of a dataset', () => {
  let ui: Ui
  let client: Client
  let datasetId: string
  let path: string
  beforeAll(async () => {
    ui = await startUi()
    client = new Client({ apiUrl: `${ui.server.url}/api/v1` })
    const dataset = await client.createDataset('qa-golden', { inputsSchema: SCHEMA })
    datasetId = dataset.id
    path = `/o/${ui.tenant}/datasets/${datasetId}`
    await client.createExamples(
      Array.from({ length: 420 }, (_, at) => ({
        dataset_id: datasetId,
        inputs: { question: `How do I reset password ${at}?`, level: at },
        outputs: { answer: `Open settings ${at}`, sources: [{ page: at }] },
        metadata: { topic: at % 2 === 0 ? 'auth' : 'billing' },
        split: at % 10 === 0 ? ['test'] : ['train'],
      })),
    )
  })
  afterAll(() => ui?.stop())

  it('shows columns from the data, and loads what is scrolled to', async () => {
    const page = await ui.open(path)
    for (const name of ['Input.question', 'Input.level', 'Reference.answer', 'Split', 'Metadata.topic']) {
      await page.getByRole('columnheader', { name, exact: true }).waitFor()
    }
    await page.getByText('420 examples').waitFor()
    await page.getByRole('row', { name: /How do I reset password 0\?/ }).waitFor()
    await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ top: 1e9 }))
    await page.getByRole('row', { name: /How do I reset password 419\?/ }).waitFor()
    await expectSound(page)
  })

  it('searches, filters by split and metadata, and keeps this in the URL', async () => {
    const page = await ui.open(path, { theme: 'dark' })
    await page.getByText('420 examples').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('password 12')
    await page.getByText('11 matching examples').waitFor()
    await page.getByRole('button', { name: 'All splits' }).click()
    await page.getByRole('menuitemradio', { name: 'test' }).click()
    await page.getByText('1 matching example', { exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('split')).toBe('test')
    await page.goBack()
    await page.getByText('11 matching examples').waitFor()
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByLabel('Metadata key').fill('topic')
    await page.getByLabel('Value').fill('auth')
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByText('6 matching examples').waitFor()
    expect(new URL(page.url()).searchParams.get('filter')).toBe('eq(metadata.topic, "auth")')
    await page.reload()
    await page.getByText('6 matching examples').waitFor()
    await expectSound(page)
  })

  it('shows an old version read-only', async () => {
    const page = await ui.open(`${path}?as_of=latest`)
    await page.getByText('read-only').waitFor()
    await page.getByText('420 examples').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await page.getByRole('button', { name: 'Show the latest version' }).click()
    await page.getByRole('checkbox', { name: 'Select example 1', exact: true }).waitFor()
  })

  it('is a list of cards on a phone', async () => {
    const page = await ui.open(path, { size: PHONE, theme: 'dark' })
    await page.getByText('420 examples').waitFor()
    await page.getByText('Open settings 0').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    await expectSound(page)
  })
})

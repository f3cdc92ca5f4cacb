import { Client } from '@touchstone/sdk'
import { evaluate } from '@touchstone/sdk/evaluation'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound, PHONE, startUi, type Ui } from '../support/start-ui.ts'

const HOSTILE = '<img src=x onerror=alert(1)> & "quoted"'

describe('a public dataset', () => {
  let ui: Ui
  let client: Client
  let datasetId: string
  let token: string
  beforeAll(async () => {
    ui = await startUi()
    client = new Client({ apiUrl: `${ui.server.url}/api/v1` })
    const dataset = await client.createDataset('capitals', { description: 'Countries and their capitals' })
    datasetId = dataset.id
    await client.createExamples(
      ['Paris', 'Rome', 'Oslo', HOSTILE].map((capital, at) => ({
        dataset_id: dataset.id,
        inputs: { country: `country ${at}` },
        outputs: { capital },
        metadata: { level: at },
        split: at < 2 ? ['train'] : ['test'],
      })),
    )
    for (const [experimentPrefix, score] of [
      ['first', 0.5],
      ['second', 0.75],
    ] as const) {
      await evaluate((inputs: { country: string }) => ({ capital: `${experimentPrefix} of ${inputs.country}` }), {
        client,
        data: 'capitals',
        experimentPrefix,
        evaluators: [() => ({ key: 'correct', score })],
      })
    }
    token = (await client.shareDataset(datasetId)).share_token
  })
  afterAll(() => ui?.stop())

  it('shows examples to anyone, without credentials and without experiments until they are shared', async () => {
    const page = await ui.open(`/public/${token}/d`, { key: 'a key that readers must not send' })
    const sent: string[] = []
    page.on('request', (request) => {
      const headers = request.headers()
      if (request.url().includes('/api/')) sent.push(`${headers['x-api-key']} ${headers.cookie}`)
    })
    await page.reload()
    await page.getByRole('row', { name: /Paris/ }).waitFor()
    await page.getByText('Countries and their capitals').waitFor()
    await page.getByRole('row', { name: /<img src=x/ }).waitFor()
    expect(await page.getByRole('link', { name: 'Experiments' }).count()).toBe(0)
    expect(new Set(sent)).toEqual(new Set(['undefined undefined']))
    expect(await page.locator('meta[name=robots]').getAttribute('content')).toBe('noindex, nofollow')
    await expectSound(page)

    await page.getByRole('searchbox', { name: 'Search examples' }).fill('Oslo')
    await page.getByRole('row', { name: /Paris/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Oslo/ }).click()
    await page.waitForURL(`**/public/${token}/d/e/*`)
    await page.getByText('country 2', { exact: true }).waitFor()
    await expectSound(page)
  })

  it('shows how to clone with each client', async () => {
    const page = await ui.open(`/public/${token}/d`)
    await page.getByRole('button', { name: 'Clone' }).click()
    await page.getByText(`Client().clone_public_dataset("${ui.server.url}/public/${token}/d"`).waitFor()
    const link = page.getByRole('link', { name: 'Clone to my workspace' })
    await expectSound(page)
    await link.click()
    await page.getByRole('textbox', { name: 'Name of the copy' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/o/${ui.tenant}/datasets`)
  })

  describe('with experiments', () => {
    beforeAll(async () => {
      await client.shareDataset(datasetId, undefined, { shareProjects: true })
    })

    for (const theme of ['light', 'dark'] as const) {
      it(`lists and compares the experiments (${theme})`, async () => {
        const page = await ui.open(`/public/${token}/d`, { theme })
        await page.getByRole('link', { name: /^Experiments/ }).click()
        const grid = page.getByRole('grid', { name: 'Experiments' })
        await grid.getByText('0.75').waitFor()
        await expectSound(page)
        for (const name of [/^Select first/, /^Select second/]) await page.getByRole('checkbox', { name }).check()
        await page.getByRole('button', { name: 'Compare 2' }).click()
        await page.waitForURL(`**/public/${token}/d/compare?selectedSessions=*`)
        await page.getByText('first of country 0').waitFor()
        await page.getByText('second of country 0').waitFor()
        await expectSound(page)

        await page.getByText('first of country 1').click()
        await page.getByRole('status').getByText('of 4').waitFor()
        await page.goBack()
        await page.getByText('first of country 0').waitFor()
        await page.getByRole('searchbox', { name: 'Search texts' }).fill('Rome')
        await page.getByText('first of country 0').waitFor({ state: 'detached' })
        await page.getByText('first of country 1').waitFor()
      })
    }

    it('shows the answers to one example, and fits a phone', async () => {
      const page = await ui.open(`/public/${token}/d`, { size: PHONE })
      await page.getByText('country 1').first().click()
      await page.getByRole('heading', { name: 'Answers of experiments' }).waitFor()
      await page.getByText('first of country 1').waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
      await expectSound(page)
    })
  })

  it('answers revoked and unknown links with the same page', async () => {
    const revoked = token
    await client.unshareDataset(datasetId)
    const texts: (string | null)[] = []
    for (const one of [revoked, '5f2c8a9e-6b1d-4c3a-8f7e-1a2b3c4d5e6f', 'no-token']) {
      for (const path of ['', '/compare?selectedSessions=1', '/e/1']) {
        const page = await ui.open(`/public/${one}/d${path}`)
        await page.getByRole('heading', { name: "This link isn't available" }).waitFor()
        texts.push(await page.locator('main').textContent())
      }
    }
    expect(new Set(texts).size).toBe(1)
    expect((await fetch(`${ui.server.url}/public/${revoked}/d/compare`)).status).toBe(404)
  })
})

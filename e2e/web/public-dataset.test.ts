import { Client } from '@touchstone/sdk'
import { evaluate } from '@touchstone/sdk/evaluation'
import type { Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { seedComparison } from '../support/seed-comparison.ts'
import { expectQuietConsole, PHONE, startUi, type Ui } from '../support/start-ui.ts'

const HOSTILE = '<img src=x onerror=alert(1)> & "quoted"'

describe('a public dataset', () => {
  let ui: Ui
  let client: Client
  let datasetId: string
  let token: string
  beforeAll(async () => {
    ui = await startUi({ hasUsedPages: true })
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
    expectQuietConsole(page)

    await page.getByRole('searchbox', { name: 'Search examples' }).fill('Oslo')
    await page.getByRole('row', { name: /Paris/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Oslo/ }).click()
    await page.waitForURL(`**/public/${token}/d/e/*`)
    await page.getByText('country 2', { exact: true }).waitFor()
    expectQuietConsole(page)
  })

  it('shows how to clone with each client', async () => {
    const page = await ui.open(`/public/${token}/d`)
    await page.getByRole('button', { name: 'Clone' }).click()
    await page.getByText(`Client().clone_public_dataset("${ui.server.url}/public/${token}/d"`).waitFor()
    const link = page.getByRole('link', { name: 'Clone to my workspace' })
    expectQuietConsole(page)
    await link.click()
    await page.getByRole('textbox', { name: 'Name of the copy' }).waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/o/${ui.tenant}/datasets`)
  })

  describe('with experiments', () => {
    beforeAll(async () => {
      await client.shareDataset(datasetId, undefined, { shareProjects: true })
    })

    it('lists and compares the experiments', async () => {
      const page = await ui.open(`/public/${token}/d`)
      await page.getByRole('link', { name: /^Experiments/ }).click()
      const grid = page.getByRole('grid', { name: 'Experiments' })
      await grid.getByText('0.75').waitFor()
      expectQuietConsole(page)
      for (const name of [/^Select first/, /^Select second/]) await page.getByRole('checkbox', { name }).check()
      await page.getByRole('button', { name: 'Compare 2' }).click()
      await page.waitForURL(`**/public/${token}/d/compare?selectedSessions=*`)
      await page.getByText('first of country 0').waitFor()
      await page.getByText('second of country 0').waitFor()
      expectQuietConsole(page)

      await page.getByText('first of country 1').click()
      await page.getByRole('status').getByText('of 4').waitFor()
      await page.goBack()
      await page.getByText('first of country 0').waitFor()
      await page.getByRole('searchbox', { name: 'Search texts' }).fill('Rome')
      await page.getByText('first of country 0').waitFor({ state: 'detached' })
      await page.getByText('first of country 1').waitFor()
    })

    it('compares what is left when one of the experiments was deleted', async () => {
      const deleted = 'f27c0000-0000-4000-8000-000000000000'
      const kept = []
      for await (const { id } of client.listProjects({ referenceDatasetId: datasetId })) kept.push(id)
      const page = await ui.open(`/public/${token}/d/compare?selectedSessions=${[deleted, ...kept].join(',')}`)
      await page.getByText(`One experiment of this address no longer exists in this dataset: ${deleted}`).waitFor()
      await page.getByText('first of country 0').waitFor()
      await page.getByText('second of country 0').waitFor()
      expectQuietConsole(page)
    })

    it('shows the answers to one example, and fits a phone', async () => {
      const page = await ui.open(`/public/${token}/d`, { size: PHONE })
      await page.getByText('country 1').first().click()
      await page.getByRole('heading', { name: 'Answers of experiments' }).waitFor()
      await page.getByText('first of country 1').waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
      expectQuietConsole(page)
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

describe('a public dataset of a server with accounts', () => {
  let ui: Ui
  let address: string
  beforeAll(async () => {
    ui = await startUi()
    const { url } = ui.server
    const { datasetId, experimentIds, runIds } = await seedComparison({
      url,
      dataset: 'capitals',
      examples: 4,
      experiments: ['first', 'second'],
      score: (experiment, example) => (experiment === 1 && example === 0 ? 0 : 1),
      output: (experiment, example) => ({ answer: `Answer ${example + 1} of ${experiment}` }),
    })
    const client = new Client({ apiUrl: `${url}/api/v1` })
    // The first experiment wins three of four pairs; the last one is a tie.
    const comparison = await client.createComparativeExperiment({
      name: 'first against second',
      experimentIds: [...experimentIds],
    })
    for (const [side, ids] of runIds.entries()) {
      for (const [at, runId] of ids.entries()) {
        await client.createFeedback(runId, 'helpful', {
          score: at === 3 ? 0.5 : 1 - side,
          comment: 'Judged without a key.',
          sessionId: experimentIds[side],
          comparativeExperimentId: comparison.id,
        })
      }
    }
    const { share_token } = await client.shareDataset(datasetId, undefined, { shareProjects: true })
    address = `/public/${share_token}/d/compare?selectedSessions=${experimentIds.join(',')}`
    const admin = await ui.open('/setup')
    await admin.getByLabel('Email').fill('ada@example.org')
    await admin.getByLabel('Password').fill('correct horse')
    await admin.getByLabel('Workspace name').fill('Acme')
    await admin.getByLabel('Project name').fill('support-bot')
    await admin.keyboard.press('Enter')
    await admin.getByText("You won't see it again").waitFor()
  })
  afterAll(() => ui?.stop())

  it('shows verdicts, the summary and pairwise comparisons to readers who are signed out', async () => {
    const { pathname } = new URL(address, ui.server.url)
    const page = await ui.open(address)
    await page.getByRole('article', { name: 'second' }).getByText('Not enough data').waitFor()
    await page.getByRole('radio', { name: 'Summary' }).click()
    const metrics = page.getByRole('region', { name: 'Metrics' })
    await metrics.getByText('1 worse').waitFor()
    await metrics.getByText('Not enough data').first().waitFor()
    expectQuietConsole(page)

    await page.getByRole('link', { name: /^Pairwise/ }).click()
    await page.getByRole('row', { name: /first against second/ }).click()
    await page.waitForURL(`**${pathname}?comparativeExperiment=*`)
    const helpful = page.getByRole('article', { name: 'helpful', exact: true })
    await helpful.getByRole('button', { name: 'A: first wins 3' }).waitFor()
    await page.getByText('4 of 4 pairs').waitFor()
    expect(await page.getByRole('button', { name: 'Vote blind' }).count()).toBe(0)
    expectQuietConsole(page)

    await page.getByRole('button', { name: 'Low margin' }).click()
    await page.getByText('1 of 4 pairs').waitFor()
    await page.getByText('Answer 4 of 0').click()
    const panel = page.getByRole('complementary', { name: 'Pair' })
    await panel.getByText('Judged without a key.').first().waitFor()
    expect(await panel.getByRole('link', { name: 'Open trace' }).count()).toBe(0)
    await expectAccessibleInThemes(page, 'a public pair')
    expectQuietConsole(page)
    await expect.poll(() => new URL(page.url()).pathname).toBe(pathname)
  })

  it('is compared by readers who are signed out, without credentials and without a way to the sign-in page', async () => {
    expect((await fetch(`${ui.server.url}/api/v1/sessions`)).status).toBe(401)
    const { pathname } = new URL(address, ui.server.url)
    const page = await ui.open(pathname, { key: 'a key that readers must not send' })
    await page.getByRole('heading', { name: 'Select experiments to compare' }).waitFor()
    await page.context().addCookies([{ name: 'sign-in', value: 'unsent', url: ui.server.url }])
    const asked: Request[] = []
    page.on('request', (request) => asked.push(request))
    await page.goto(ui.server.url + address)
    await page.getByText('Answer 1 of 0').waitFor()
    const second = page.getByRole('article', { name: 'second' })
    await second.getByRole('button', { name: '1 worse' }).waitFor()
    expectQuietConsole(page)

    await page.getByText('Answer 2 of 1').click()
    await page.getByText('Example 2 of 4').waitFor()
    await second.getByRole('button', { name: '1 worse' }).click()
    await page.getByText('Example 1 of 1').waitFor()
    expectQuietConsole(page)
    await expect.poll(() => new URL(page.url()).pathname).toBe(pathname)
    const api = asked.filter((request) => request.url().includes('/api/'))
    const headers = await Promise.all(api.map((request) => request.allHeaders()))
    const credentials = headers.map((sent) => [sent['x-api-key'], sent.authorization, sent.cookie])
    expect(credentials.length).toBeGreaterThan(0)
    expect(credentials.flat().filter((sent) => sent !== undefined)).toEqual([])
  })
})

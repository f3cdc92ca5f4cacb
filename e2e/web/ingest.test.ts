import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedTraces } from '../support/seed-traces.ts'
import { expectSound, PHONE, startUi, type Ui } from '../support/start-ui.ts'

let ui: Ui
const rejected = randomUUID()
beforeAll(async () => {
  ui = await startUi()
  await seedTraces({ url: ui.server.url, project: 'support-bot', traces: 3 })
  const run = { id: rejected, trace_id: rejected, name: 'answer', run_type: 'chain', session_name: 'support-bot' }
  await fetch(`${ui.server.url}/api/v1/runs/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ post: [{ ...run, start_time: 'yesterday' }] }),
  })
})
afterAll(() => ui?.stop())

describe('rejected runs', () => {
  it('are announced in their project, listed in the settings, and explained by id', async () => {
    const projects = (await (await fetch(`${ui.server.url}/api/v1/sessions?name=support-bot`)).json()) as {
      id: string
    }[]
    const page = await ui.open(`/projects/p/${projects[0]?.id}`)
    const banner = page.getByRole('alert').filter({ hasText: '1 run was rejected in the last hour' })
    await banner.waitFor()
    await expectSound(page)
    await banner.getByRole('link', { name: 'Show' }).click()
    await page.getByRole('heading', { name: 'Ingest' }).waitFor()
    await page.getByRole('row').nth(1).getByRole('button').click()
    await page.getByRole('listitem').filter({ hasText: rejected }).waitFor()
    await expectSound(page)

    const search = page.getByRole('searchbox', { name: 'Find a run or trace by id' })
    await search.fill(rejected)
    await page.getByRole('heading', { name: 'Rejected', exact: true }).waitFor()
    await search.fill(randomUUID())
    await page.getByRole('heading', { name: 'Unknown', exact: true }).waitFor()
    await expectSound(page)
    await page.close()
  })

  it('are readable on a phone', async () => {
    const page = await ui.open('/settings/ingest?outcome=rejected', { theme: 'dark', size: PHONE })
    await page.getByRole('row').nth(1).getByRole('button').click()
    await page.getByRole('listitem').filter({ hasText: rejected }).waitFor()
    await expectSound(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await page.close()
  })
})

import { randomUUID } from 'node:crypto'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { seedTraces } from '../support/seed-traces.ts'
import { expectQuietConsole, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'

let ui: Ui
const rejected = randomUUID()
beforeAll(async () => {
  ui = await openWorkspace()
  await seedTraces({ url: ui.server.url, project: 'support-bot', traces: 3 })
  const run = { id: rejected, trace_id: rejected, name: 'answer', run_type: 'chain', session_name: 'support-bot' }
  await fetch(`${ui.server.url}/api/v1/runs/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ post: [{ ...run, start_time: 'yesterday' }] }),
  })
})
afterAll(() => ui?.stop())

/** Sends runs with a client that records half of its traces. @returns one that it sent, and one that it left out */
async function sendHalf(count: number): Promise<{ stored: string; leftOut: string }> {
  const client = new Client({ apiUrl: `${ui.server.url}/api/v1`, tracingSamplingRate: 0.5 })
  const ids = Array.from({ length: count }, () => randomUUID())
  for (const id of ids) await client.createRun({ id, trace_id: id, name: 'sampled', run_type: 'chain', inputs: {} })
  await client.flush()
  const found = await Promise.all(ids.map((id) => client.findTrace(id)))
  const idWith = (outcome: string) => found.find((one) => one.outcome === outcome)?.id ?? ''
  return { stored: idWith('stored'), leftOut: idWith('sampled_out') }
}

describe('rejected runs', () => {
  it('are announced in their project, listed in the settings, and explained by id', async () => {
    const projects = (await (await fetch(`${ui.server.url}/api/v1/sessions?name=support-bot`)).json()) as {
      id: string
    }[]
    const page = await ui.open(`/projects/p/${projects[0]?.id}`)
    const banner = page.getByRole('alert').filter({ hasText: '1 run was rejected in the last hour' })
    await banner.waitFor()
    await expectAccessibleInThemes(page, 'rejected runs in a project')
    expectQuietConsole(page)
    await banner.getByRole('link', { name: 'Show' }).click()
    await page.getByRole('heading', { name: 'Ingest' }).waitFor()
    await page.getByRole('row').nth(1).getByRole('button').click()
    await page.getByRole('listitem').filter({ hasText: rejected }).waitFor()
    expectQuietConsole(page)

    const search = page.getByRole('searchbox', { name: 'Find a run or trace by id' })
    await search.fill(rejected)
    await page.getByRole('heading', { name: 'Rejected', exact: true }).waitFor()
    await search.fill(randomUUID())
    await page.getByRole('heading', { name: 'Unknown', exact: true }).waitFor()
    const sampled = await sendHalf(40)
    await search.fill(sampled.stored)
    await page.getByRole('heading', { name: 'Stored', exact: true }).waitFor()
    await search.fill(sampled.leftOut)
    await page.getByRole('heading', { name: 'Sampled out', exact: true }).waitFor()
    expectQuietConsole(page)
    await page.close()
  })

  it('are readable on a phone', async () => {
    const page = await ui.open('/settings/ingest?outcome=rejected', { theme: 'dark', size: PHONE })
    await page.getByRole('row').nth(1).getByRole('button').click()
    await page.getByRole('listitem').filter({ hasText: rejected }).waitFor()
    expectQuietConsole(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await page.close()
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { callApi } from '../support/seed-queue.ts'
import { seedTraces } from '../support/seed-traces.ts'
import { openWorkspace, type Ui } from '../support/start-ui.ts'
import { projectIdOf } from '../support/trace-writer.ts'

const CONFLICT = { name: 'Changed elsewhere while you were editing' }
/** A reload and a refused save are requests, which can be slow on a busy machine. */
const SLOW = { timeout: 20_000 }

describe('an object that two tabs edit', () => {
  let ui: Ui
  let project: string
  beforeAll(async () => {
    ui = await openWorkspace()
    await seedTraces({ url: ui.server.url, project: 'shared', traces: 3 })
    project = await projectIdOf(ui.server.url, 'shared')
  })
  afterAll(() => ui?.stop())

  it('shows both versions of a chart, and is saved from the keyboard', async () => {
    const chart = (title: string) => ({ id: 'a', title, metric: 'latency' })
    const path = '/dashboards'
    const body = { name: 'Two tabs', session_id: project, charts: [chart('Before'), { id: 'b', metric: 'cost' }] }
    const { id } = await callApi<{ id: string }>(ui.server, 'POST', path, body)
    const page = await ui.open(`/o/${ui.tenant}/projects/p/${project}/monitor?board=${id}`)
    await page.getByRole('button', { name: 'Edit Before' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit chart' })
    await dialog.getByLabel('Title').fill('Mine')
    const theirs = { charts: [chart('Theirs'), { id: 'b', metric: 'cost', title: 'Costs' }] }
    await callApi(ui.server, 'PATCH', `${path}/${id}`, theirs)
    await dialog.getByRole('button', { name: 'Save' }).click()

    const conflict = page.getByRole('alert', CONFLICT)
    await conflict.getByText('Title: Theirs').waitFor(SLOW)
    await conflict.getByText('Title: Mine').waitFor()
    // The refused request is in the console.
    await expectAccessibleInThemes(page, 'a chart that was changed elsewhere')
    await conflict.getByRole('button', { name: 'Save mine' }).focus()
    await page.keyboard.press('Enter')
    await conflict.waitFor({ state: 'detached' })
    const read = async () =>
      (await callApi<{ charts: { title: string }[] }>(ui.server, 'GET', `${path}/${id}`)).charts.map(
        ({ title }) => title,
      )
    await expect.poll(read, SLOW).toEqual(['Mine', 'Costs'])
  })

  it('keeps a draft over a reload, and sees then that others have changed the text', async () => {
    const { id } = await callApi<{ id: string }>(ui.server, 'POST', '/annotation-queues', { name: 'Drafts' })
    const page = await ui.open(`/o/${ui.tenant}/annotation-queues/${id}/settings`)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByLabel('Description').fill('mine')
    await page.getByText('Description changed').waitFor()
    await callApi(ui.server, 'PATCH', `/annotation-queues/${id}`, { description: 'theirs' })
    await page.reload()
    await page.getByText('Draft restored').waitFor(SLOW)
    expect(await page.getByLabel('Description').inputValue()).toBe('mine')
    await page.getByRole('alert', CONFLICT).getByText('theirs').waitFor()
    await expectAccessibleInThemes(page, 'a restored draft')
    await page.getByRole('button', { name: 'Discard' }).first().click()
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('theirs')
    await page.reload()
    await page.getByLabel('Description').waitFor(SLOW)
    expect(await page.getByText('Draft restored').count()).toBe(0)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleEverywhere } from '../support/accessibility.ts'
import { runTouchstone } from '../support/run-touchstone.ts'
import { REFUSAL, seedRefused } from '../support/seed-refused.ts'
import { expectQuietConsole, type OwnUi, startUi } from '../support/start-ui.ts'
import { step } from '../support/step.ts'

let ui: OwnUi
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui?.stop())

const touchstone = async (...args: string[]) => {
  const { code, out, stderr } = await runTouchstone(args, { TOUCHSTONE_ENDPOINT: ui.server.url })
  return { code, out, stderr }
}

describe('runs that the store refused after they were acknowledged', () => {
  it('are listed and stored again from the command line and on the ingest page', async () => {
    const ids = [
      await seedRefused(ui.server.dataDir, ui.tenant, 'kept'),
      await seedRefused(ui.server.dataDir, ui.tenant, 'kept'),
    ]

    await step('the command line lists them', async () => {
      const text = await touchstone('refused', 'list')
      expect(text).toMatchObject({ code: 0, stderr: expect.stringContaining('2 refused runs.') })
      for (const id of ids) expect(text.out).toMatch(new RegExp(`${id}.*${REFUSAL}`))
      const json = JSON.parse((await touchstone('refused', 'list', '--json')).out)
      expect(json).toMatchObject({ total: 2, items: ids.map((id) => ({ id, reason: REFUSAL })) })
    })

    const page = await ui.open(`/o/${ui.tenant}/settings/ingest`)
    const notice = page.getByRole('region', { name: 'Refused runs' })
    await step('the page shows them, and Retry stores them', async () => {
      await notice.getByText('2 accepted runs could not be stored.').waitFor()
      await expectAccessibleEverywhere(page, 'ingest: refused runs')
      await notice.getByRole('button', { name: 'Retry' }).click()
      await notice.waitFor({ state: 'detached' })
      expectQuietConsole(page)
    })
    for (const id of ids) {
      const run = await fetch(`${ui.server.url}/api/v1/runs/${id}`)
      expect(await run.json()).toMatchObject({ name: 'answer', inputs: { question: 'why' } })
    }

    await step('the command line stores the next one', async () => {
      const id = await seedRefused(ui.server.dataDir, ui.tenant, 'kept')
      const retried = await touchstone('refused', 'retry', '--json')
      expect(JSON.parse(retried.out)).toEqual({ accepted: 1, refused: 0 })
      expect(retried.stderr).toContain('Accepted 1, refused 0 again.')
      expect((await fetch(`${ui.server.url}/api/v1/runs/${id}`)).status).toBe(200)
      expect((await touchstone('refused', 'list')).stderr).toContain('0 refused runs.')
    })
  })
})

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { chooseOption } from '../support/choose-option.ts'
import { expectQuietConsole, PHONE, startUi, type Ui } from '../support/start-ui.ts'

let ui: Ui
let receiver: Server
let url: string
/** The next answer of the receiver. */
let answer: readonly [status: number, body: string] = [200, 'ok']
const received: string[] = []
beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = ''
    request
      .on('data', (chunk: Buffer) => {
        body += chunk
      })
      .on('end', () => {
        received.push(body)
        response.writeHead(answer[0]).end(answer[1])
      })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  ui = await startUi({ hasUsedPages: true, env: { TOUCHSTONE_OUTBOUND_ALLOW: '127.0.0.1' } })
})
afterAll(async () => {
  await ui?.stop()
  receiver?.closeAllConnections()
  await new Promise((resolve) => receiver?.close(resolve))
})

describe('notification channels', () => {
  it('are created, tested with the exact answer, deliver again, and are turned off', async () => {
    const page = await ui.open(`/o/${ui.tenant}/settings/channels`)
    await page.getByRole('heading', { name: 'No notification channels yet' }).waitFor()
    expectQuietConsole(page)
    await page.getByRole('button', { name: 'New channel' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New channel' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('On call')
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${url}/services/T0/B0/secret-of-the-chat`)
    await expectAccessibleInThemes(page, 'a new channel')
    await dialog.getByRole('button', { name: 'Create channel' }).click()

    const card = page.getByRole('article', { name: 'On call' })
    await card.getByText(`${url}/…chat`).waitFor()
    answer = [404, 'no_service']
    await card.getByRole('button', { name: 'Send a test' }).click()
    await card.getByText('The receiver answered 404.', { exact: true }).waitFor()
    await card.getByText('no_service').waitFor()
    await card.getByText(/Failing since/).waitFor()
    await expectAccessibleInThemes(page, 'a channel that fails')
    answer = [200, 'ok']
    await card.getByRole('button', { name: 'Send a test' }).click()
    await card.getByText('The receiver answered 200.').waitFor()
    await card.getByText(/Last delivered/).waitFor()

    await card.getByRole('button', { name: 'Deliveries of the last 30 days' }).click()
    await card.getByText('Delivered', { exact: true }).waitFor()
    const before = received.length
    await card
      .getByRole('button', { name: /^Redeliver Test notice/ })
      .first()
      .click()
    await expect.poll(() => received.length).toBe(before + 1)
    expect(received.at(-1)).toBe(received.at(-2))
    await expect.poll(() => card.getByText('Delivered', { exact: true }).count()).toBe(2)
    await expectAccessibleInThemes(page, 'deliveries of a channel')

    await page.getByRole('button', { name: 'Actions of On call' }).click()
    await page.getByRole('menuitem', { name: 'Turn off' }).click()
    await card.getByText(/^Off\. Turned off by/).waitFor()
    await page.getByRole('button', { name: 'Actions of On call' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete channel' }).click()
    await page.getByRole('heading', { name: 'No notification channels yet' }).waitFor()
    expectQuietConsole(page)
  })

  it('show the secret of a webhook once, and fit a phone', async () => {
    const page = await ui.open(`/o/${ui.tenant}/settings/channels`, { size: PHONE })
    await page.getByRole('button', { name: 'New channel' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New channel' })
    await chooseOption(dialog.getByRole('combobox', { name: 'Kind' }), 'Webhook')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Hook')
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${url}/hook`)
    await dialog.getByRole('button', { name: 'Create channel' }).click()
    const secret = page.getByRole('dialog', { name: 'Secret of the webhook' })
    await secret.getByText(/^whsec_/).waitFor()
    await secret.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('article', { name: 'Hook' }).getByText(`${url}/hook`).waitFor()
    await expectAccessibleInThemes(page, 'a channel on a phone')
    expectQuietConsole(page)
  })
})

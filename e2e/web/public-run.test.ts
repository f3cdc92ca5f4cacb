import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectQuietConsole, getConsoleMessages, openWorkspace, PHONE, type Ui } from '../support/start-ui.ts'
import { projectIdOf, TraceWriter, type WrittenRun } from '../support/trace-writer.ts'

let ui: Ui
let root: WrittenRun
let middle: WrittenRun
let beside: WrittenRun
let projectId: string
beforeAll(async () => {
  ui = await openWorkspace()
  const writer = new TraceWriter(ui.server.url, 'shared')
  root = writer.add({ name: 'support_agent', at: [0, 900] })
  middle = writer.add({ parent: root, name: 'research', at: [10, 500], outputs: { found: { title: 'the needle' } } })
  writer.add({ parent: middle, name: 'lookup', type: 'tool', at: [20, 100] })
  beside = writer.add({ parent: root, name: 'private_step', at: [600, 800] })
  await writer.send()
  projectId = await projectIdOf(ui.server.url, 'shared')
  await fetch(`${ui.server.url}/api/v1/feedback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ run_id: middle.id, key: 'useful', score: 1, comment: 'Well found.' }),
  })
})
afterAll(() => ui?.stop())

const tree = (page: Page) => page.getByRole('tree', { name: 'Runs of the trace' })
const dialog = (page: Page) => page.getByRole('dialog', { name: /^Share/ })

async function shareIt(run: WrittenRun) {
  const page = await ui.open(`/o/${ui.tenant}/projects/p/${projectId}/r/${run.id}`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await dialog(page).getByRole('button', { name: 'Create public link' }).click()
  const link = await dialog(page).getByRole('textbox', { name: 'Public link' }).inputValue()
  return { page, path: new URL(link).pathname }
}

/** Shares a run without the dialog and returns the path of its public page. */
async function pathOfShared(run: WrittenRun): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const path = `${ui.server.url}/api/v1/runs/${run.id}/share`
  const answer = await fetch(path, { method: 'PUT', headers, body: JSON.stringify({ run_id: run.id }) })
  return `/public/${((await answer.json()) as { share_token: string }).share_token}/r`
}

describe('a shared run', () => {
  it('opens with the link until sharing ends', async () => {
    const { page, path } = await shareIt(middle)
    await dialog(page).getByText('the 1 run below it').waitFor()
    await dialog(page).getByText('Parent and sibling runs stay private.').waitFor()
    await dialog(page).getByRole('button', { name: 'Copy link' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(ui.server.url + path)
    expectQuietConsole(page)

    const reader = await ui.open(path)
    await tree(reader).getByText('lookup').waitFor()
    await reader.getByText('Shared publicly, read-only').waitFor()
    await reader.getByText('2 / 2 runs').waitFor()
    expect(await reader.getByText('private_step').count()).toBe(0)
    expect(await reader.getByText('support_agent').count()).toBe(0)
    for (const name of ['Annotate', 'Share', 'Add to dataset', 'More actions'])
      expect(await reader.getByRole('button', { name, exact: true }).count()).toBe(0)
    await reader.getByRole('tab', { name: /Feedback/ }).click()
    await reader.getByText('Well found.').waitFor()
    expectQuietConsole(reader)

    await dialog(page).getByRole('button', { name: 'Revoke link' }).click()
    await dialog(page).getByRole('button', { name: 'Create public link' }).waitFor()
    await reader.reload()
    await reader.getByRole('heading', { name: "This link isn't available" }).waitFor()
  })

  it('loads without credentials, although this browser has some', async () => {
    const path = await pathOfShared(root)
    const page = await ui.open('/login', { key: 'tsk_of_this_browser' })
    await page.goto('about:blank') // the page of the login may still send requests of its own
    const asked: Request[] = []
    page.on('request', (request) => asked.push(request))
    await page.goto(ui.server.url + path)
    await tree(page).getByText('lookup').click()
    await page.getByRole('tab', { name: 'Metadata' }).click()
    await page.getByRole('tab', { name: /In\/Out/ }).click()
    await page.getByRole('tree', { name: 'inputs and outputs' }).waitFor()

    const api = asked.filter((request) => request.url().includes('/api/'))
    expect(api.length).toBeGreaterThan(1)
    for (const request of api) {
      expect(new URL(request.url()).pathname).toContain('/public/')
      const headers = await request.allHeaders()
      for (const name of ['x-api-key', 'authorization', 'cookie']) expect(headers).not.toHaveProperty(name)
      expect(headers.referer ?? '').toBe('')
    }
    const foreign = asked.filter(
      (request) => !/^(data|blob):/.test(request.url()) && !request.url().startsWith(ui.server.url),
    )
    expect(foreign.map((request) => request.url())).toEqual([])
    const answer = await page.request.get(ui.server.url + path, { headers: { accept: 'text/html' } })
    expect(answer.headers()).toMatchObject({ 'x-robots-tag': 'noindex, nofollow', 'referrer-policy': 'no-referrer' })
    expect(answer.headers()['content-security-policy']).not.toMatch(/script-src[^;]*unsafe/)
    expect(await page.locator('meta[name=robots]').getAttribute('content')).toContain('noindex')
  })

  it('accepts links to a child run and to one of its values', async () => {
    const path = await pathOfShared(root)
    const page = await ui.open(`${path}/${middle.id}?tab=io&path=outputs.found.title`)
    const value = page.getByRole('tree', { name: 'inputs and outputs' }).locator('[aria-selected=true]')
    await value.getByText('the needle').waitFor()
    await tree(page).focus()
    await page.keyboard.press('ArrowDown')
    await tree(page).locator('[aria-selected=true]').getByText('lookup').waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toMatch(new RegExp(`^${path}/[0-9a-f-]{36}$`))
  })

  it('shows the same page for a closed link, an unknown link, and a link to a run that is not shared', async () => {
    const path = await pathOfShared(middle)
    const unknown = path.replace(/[0-9a-f]{12}\/r$/, '000000000000/r')
    const texts: string[] = []
    for (const one of [unknown, `${path}/${beside.id}`, '/public/nonsense/r']) {
      const page = await ui.open(one)
      await page.getByRole('heading', { name: "This link isn't available" }).waitFor()
      expect(getConsoleMessages(page).filter((text) => !text.includes('404'))).toEqual([])
      texts.push(await page.locator('body').innerText())
    }
    expect(new Set(texts).size).toBe(1)
  })

  it('fits a phone', async () => {
    const path = await pathOfShared(root)
    const page = await ui.open(path, { size: PHONE })
    await tree(page).getByText('lookup').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    expectQuietConsole(page)
  })
})

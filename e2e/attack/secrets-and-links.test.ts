import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AxeBuilder } from '@axe-core/playwright'
import { uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'
import { sendRaw, statusOf } from './raw-request.ts'

let server: StartedServer
beforeAll(async () => {
  server = await startServer({ env: { TOUCHSTONE_OUTBOUND_ALLOW: '127.0.0.1' } })
})
afterAll(() => server.stop())

async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true)
  return (await answer.json()) as Answer
}

interface Webhook {
  readonly id: string
  readonly headers: Record<string, string>
  readonly secret: string | null
  readonly cleared_headers: string[]
}

describe('B8: a webhook whose URL changes', () => {
  const heard: Record<string, string | string[] | undefined>[] = []
  const receiver = createServer((request, response) => {
    heard.push(request.headers)
    request.resume().on('end', () => response.end('{}'))
  })
  let elsewhere: string
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    elsewhere = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  })
  afterAll(() => receiver.close())

  const MANIFEST = {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
    kwargs: { template: 'hello', input_variables: [], template_format: 'f-string' },
  }
  const HEADERS = { authorization: 'Bearer SECRET', 'x-team': 'SECRET TOO' }
  const aWebhook = () => call<Webhook>('POST', '/prompt-webhooks', { url: 'http://127.0.0.1:9/hook', headers: HEADERS })
  const change = (id: string, body: object) => call<Webhook>('PATCH', `/prompt-webhooks/${id}`, body)

  it('keeps its secrets with another query, and loses them with another path of its origin', async () => {
    const { id, headers } = await aWebhook()
    const changed = await change(id, { url: 'http://127.0.0.1:9/hook?tenant=1' })
    expect(changed).toMatchObject({ headers, secret: null, cleared_headers: [] })
    const moved = await change(id, { url: 'http://127.0.0.1:9/other' })
    expect(moved).toMatchObject({ headers: {}, cleared_headers: Object.keys(HEADERS) })
    expect(moved.secret).toMatch(/^whsec_/)
  })

  it('sends none of them to another origin, by its headers', async () => {
    const { id, secret } = await aWebhook()
    const changed = await change(id, { url: elsewhere, headers: { 'x-team': '********', 'x-new': 'new' } })
    expect(changed.cleared_headers.toSorted()).toEqual(['authorization', 'x-team'])
    expect(Object.keys(changed.headers)).toEqual(['x-new'])
    expect(changed.secret).toMatch(/^whsec_/)
    expect(changed.secret).not.toBe(secret)

    const repo = `moved-${uuid7()}`
    await call('POST', '/repos', { repo_handle: repo, is_public: false })
    await call('POST', `/commits/-/${repo}`, { manifest: MANIFEST })
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    expect(JSON.stringify(heard)).not.toContain('SECRET')
    expect(heard[0]!['x-new']).toBe('new')
  })

  it('does not send them to another origin as a test either', async () => {
    const { id } = await aWebhook()
    heard.length = 0
    await call('POST', '/prompt-webhooks/test', {
      webhook: { id, url: elsewhere, headers: { authorization: '********', 'x-team': '********' } },
    })
    expect(heard).toHaveLength(1)
    expect(JSON.stringify(heard)).not.toContain('SECRET')
  })

  it('takes none of them along when two changes meet', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await aWebhook()
      await Promise.all([
        change(id, { triggers: ['commit'] }),
        change(id, { url: elsewhere }),
        change(id, { triggers: ['tag:create'] }),
      ])
      const { headers } = await call<Webhook>('GET', `/prompt-webhooks/${id}`)
      expect(headers).toEqual({})
    }
  })
})

describe('B14: CSV for spreadsheets', () => {
  const FORMULAS = ["=cmd|'/C calc'!A0", '+1+1', '@SUM(1)', '=HYPERLINK("http://evil.example")', '\t=1', ' =1', '"=1']

  it('disarms formulas of datasets, and as stored gives back what was stored', async () => {
    const dataset = await call<{ id: string }>('POST', '/datasets', { name: `formulas ${uuid7()}` })
    const texts = [...FORMULAS, '-1.5', 'plain']
    for (const text of texts) await call('POST', '/examples', { dataset_id: dataset.id, inputs: { text }, outputs: {} })
    const read = async (query: string) =>
      (await fetch(`${server.url}/api/v1/datasets/${dataset.id}/csv${query}`)).text()

    const [stored, safe] = [await read(''), await read('?for=spreadsheet')]
    for (const text of FORMULAS) {
      expect(stored).not.toContain(`'${text.replaceAll('"', '""')}`)
      expect(safe).toContain(`'${text.replaceAll('"', '""')}`)
    }
    expect(safe).toMatch(/,-1\.5,/)

    const form = new FormData()
    form.append('file', new Blob([stored], { type: 'text/csv' }), 'again.csv')
    form.append('name', `formulas again ${uuid7()}`)
    form.append('input_keys', 'text')
    const uploaded = await fetch(`${server.url}/api/v1/datasets/upload`, { method: 'POST', body: form })
    const { id } = (await uploaded.json()) as { id: string }
    const examples = await call<{ inputs: { text: string } }[]>('GET', `/examples?dataset=${id}&limit=100`)
    expect(examples.map(({ inputs }) => inputs.text).sort()).toEqual(texts.toSorted())
    expect((await fetch(`${server.url}/api/v1/datasets/${dataset.id}/csv?for=excel`)).status).toBe(400)
  })

  it.each([
    [undefined, '=cmd'],
    ['spreadsheet', "'=cmd"],
  ])('disarms formulas of exported runs: for %s', async (reader, cell) => {
    const id = uuid7()
    await call('POST', '/runs', { id, name: '=cmd', run_type: 'chain', session_name: 'formulas', inputs: {} })
    const body = { action: 'export', id: [id], format: 'csv', select: ['name'], for: reader }
    const { job } = await call<{ job: { id: string } }>('POST', '/bulk', body)
    const read = () => call<{ download_url: string | null }>('GET', `/jobs/${job.id}`)
    await expect.poll(async () => (await read()).download_url).not.toBeNull()
    const file = await (await fetch(server.url + (await read()).download_url)).text()
    expect(file).toBe(`name\n${cell}\n`)
  })
})

describe('B15: a link that gives feedback', () => {
  const HTML = 'text/html,application/xhtml+xml,*/*;q=0.8'

  async function aLink() {
    const run_id = uuid7()
    await call('POST', '/runs', { id: run_id, name: 'r', run_type: 'chain', session_name: 'links', inputs: {} })
    const { url } = await call<{ url: string }>('POST', '/feedback/tokens', { run_id, feedback_key: 'user_score' })
    const votes = () => call<{ score: number; comment: string | null }[]>('GET', `/feedback?run=${run_id}`)
    return { url, votes }
  }

  it.each([
    ['a browser', 'GET', [`accept: ${HTML}`, 'sec-fetch-mode: navigate']],
    ['a scanner that accepts HTML', 'GET', [`accept: ${HTML}`]],
    ['a scanner that poses as a browser', 'GET', ['accept: */*', 'user-agent: Mozilla/5.0 (Windows NT 10.0)']],
    ['a preview', 'GET', ['accept: */*', 'user-agent: Slackbot-LinkExpanding 1.0']],
    ['a prefetch', 'GET', ['accept: */*', 'sec-purpose: prefetch', 'sec-fetch-mode: no-cors']],
    ['HEAD', 'HEAD', ['accept: */*']],
  ])('is not used by %s that only opens it', async (_who, method, headers) => {
    const { url, votes } = await aLink()
    const { pathname, host } = new URL(url)
    const answer = await sendRaw(server.url, [`${method} ${pathname}?score=1 HTTP/1.1`, `host: ${host}`, ...headers])
    expect(statusOf(answer)).toBe(200)
    expect(answer).toMatch(/content-type: text\/html/i)
    expect(answer).toMatch(/content-security-policy: default-src 'none'/i)
    expect(answer).not.toMatch(/set-cookie|<script/i)
    expect(await votes()).toEqual([])
  })

  it('requires a confirmation from every client, by its own setting', async () => {
    const { url, votes } = await aLink()
    const answer = await fetch(`${url}?score=1&ask=true`, { headers: { 'user-agent': 'python-requests/2.32' } })
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(await votes()).toEqual([])
  })

  it('is used by a GET of a program or of a script', async () => {
    const { url, votes } = await aLink()
    const { pathname, host } = new URL(url)
    await sendRaw(server.url, [`GET ${pathname}?score=1 HTTP/1.1`, `host: ${host}`, 'accept: */*'])
    expect(await votes()).toMatchObject([{ score: 1 }])
    const script = await fetch(`${url}?score=0`, { headers: { origin: 'https://customer.example' } })
    expect(await script.json()).toEqual({ message: 'Feedback recorded' })
    expect(await votes()).toMatchObject([{ score: 0 }])
  })

  it('is used by the button of its page, without scripts and cookies, and shows what it sends as text', async () => {
    const { url, votes } = await aLink()
    const browser = await openBrowser()
    const context = await browser.newContext({ javaScriptEnabled: false, colorScheme: 'dark' })
    const page = await context.newPage()
    const comment = '<img src=x onerror=alert(1)> "really" & \'good\''
    await page.goto(`${url}?score=1&comment=${encodeURIComponent(comment)}`)
    await page.getByRole('heading', { name: 'Send feedback?' }).waitFor()
    await page.getByText(comment, { exact: true }).waitFor()
    expect(await votes()).toEqual([])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Thank you.').waitFor()
    expect(await votes()).toMatchObject([{ score: 1, comment }])
    expect(await context.cookies()).toEqual([])

    await page.goto(`${url.replace(/[^/]+$/, uuid7())}?score=1`)
    await page.getByRole('alert').getByText('Feedback token not found').waitFor()
    await browser.close()
  })

  it.each(['light', 'dark'] as const)('has a page that is accessible in the %s theme', async (colorScheme) => {
    const { url } = await aLink()
    const browser = await openBrowser()
    const page = await (await browser.newContext({ colorScheme })).newPage()
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    await page.goto(`${url}?score=1&comment=helpful`)
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id }) => id)).toEqual([])
    expect(messages).toEqual([])
    await browser.close()
  })
})

import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { get, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../testing/start-app.ts'

const THEME = 'document.documentElement.dataset.theme = "dark"'
const SCRIPT = `export const text = '${'touchstone '.repeat(200)}'`
let app: StartedApp
beforeAll(async () => {
  const webDir = mkdtempSync(join(tmpdir(), 'touchstone-web-'))
  mkdirSync(join(webDir, 'assets'))
  writeFileSync(join(webDir, 'index.html'), `<!doctype html><script>${THEME}</script><div id="root"></div>`)
  writeFileSync(join(webDir, 'assets/index-abc.js'), 'export {}')
  writeFileSync(join(webDir, 'assets/long-abc.js'), SCRIPT)
  writeFileSync(join(webDir, 'assets/long-abc.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(webDir, 'assets/long-abc.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(webDir, 'favicon.svg'), '<svg/>')
  app = await startApp({ config: { webDir } })
})
afterAll(() => app.close())

/** `fetch` always sends its own Sec-Fetch-Mode. */
function navigate(path: string): Promise<Response> {
  const headers = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' }
  return new Promise((resolve, reject) => {
    get(app.url + path, { headers }, async (message) => {
      const body = await new Response(Readable.toWeb(message) as ReadableStream).text()
      resolve(new Response(body, { status: message.statusCode!, headers: message.headers as Record<string, string> }))
    }).on('error', reject)
  })
}

/** Requests without `fetch`, which decompresses answers. */
function bytesOf(path: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    get(app.url + path, { headers }, async (message) => {
      const body = Buffer.concat(await message.toArray())
      resolve({ status: message.statusCode, headers: message.headers, body })
    }).on('error', reject)
  })
}

const isPage = async (answer: Response) => (await answer.text()).includes('id="root"')

describe('the web UI', () => {
  it.each([
    '/',
    '/o/7f3c1c1e-0d7b-4a53-9a5e-3f6a2b7d1c10/projects/p/x/r/y?poll=true',
    '/prompts/a/b',
    '/hub/owner/repo:commit',
    '/public/0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01/r/0197f2a4-3c10-7d21-9b55-2f4b8e7a1c02',
    '/go/x',
    '/projects',
    '/settings',
    '/datasets',
    '/no/such/page',
  ])('answers a navigation to %s with its page', async (path) => {
    const answer = await navigate(path)
    expect(answer.status).toBe(200)
    expect(await isPage(answer)).toBe(true)
  })

  it('answers a share link for any Accept header, and with 404 only when its token is unknown', async () => {
    const run = { id: uuid7(), name: 'r', run_type: 'chain', start_time: new Date().toISOString(), inputs: {} }
    await app.call(contract.runs.batch, { body: { post: [run] } })
    const ofRun = await app.call(contract.sharing.shareRun, { params: { run_id: run.id }, body: { run_id: run.id } })
    const dataset = (await app.call(contract.datasets.create, { body: { name: 'shared' } })).body
    const ofDataset = await app.call(contract.datasetSharing.share, { params: { dataset_id: dataset.id } })
    const links = [`/public/${ofRun.body.share_token}/r`, `/public/${ofDataset.body.share_token}/d`]

    for (const link of links) {
      for (const accept of ['*/*', 'application/json', 'text/plain', 'text/html']) {
        const answer = await app.fetch(link, { headers: { accept } })
        expect([answer.status, await isPage(answer)]).toEqual([200, true])
      }
      expect((await app.fetch(link, { method: 'HEAD' })).status).toBe(200)
      expect((await navigate(link)).status).toBe(200)
    }
    for (const page of [`${links[1]}/compare?selectedSessions=1`, `${links[1]}/e/${uuid7()}`]) {
      expect((await navigate(page)).status).toBe(200)
    }
    const unknown = [
      links[0]!.replace('/r', '/d'),
      links[1]!.replace('/d', '/r'),
      `/public/${uuid7()}/r`,
      '/public/no-token/d',
      `/public/${uuid7()}/d/compare`,
      `/public/${ofRun.body.share_token}/d/compare`,
    ]
    for (const link of unknown) {
      expect((await app.fetch(link)).status).toBe(404)
      const page = await navigate(link)
      expect([page.status, await isPage(page)]).toEqual([404, true])
    }
  })

  it('keeps shared pages, and only those, out of search engines', async () => {
    const robots = async (path: string) => (await navigate(path)).headers.get('x-robots-tag')
    expect(await robots('/public/0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01/r')).toBe('noindex, nofollow')
    expect(await robots('/projects')).toBeNull()
  })

  it.each(['/api/v1/settings', '/info', '/ok', '/openapi.json', '/api/v1/no/such'])(
    'leaves %s to the API, even in a browser',
    async (path) => {
      expect(await isPage(await navigate(path))).toBe(false)
    },
  )

  it('leaves what a program asks for to the API', async () => {
    expect((await (await app.fetch('/settings')).json()) as object).toHaveProperty('tenant_handle')
    expect((await app.fetch('/no/such/page')).status).toBe(404)
  })

  it('runs no script but its own', async () => {
    const policy = (await navigate('/')).headers.get('content-security-policy')
    expect(policy).toContain(`script-src 'self' 'sha256-${createHash('sha256').update(THEME).digest('base64')}'`)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
  })

  it('sends files with safe headers, hashed ones for good', async () => {
    const asset = await app.fetch('/assets/index-abc.js')
    expect(asset.headers.get('content-type')).toMatch(/javascript/)
    expect(asset.headers.get('cache-control')).toContain('immutable')
    expect(asset.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await app.fetch('/favicon.svg')).headers.get('cache-control')).toBe('no-cache')
    expect((await app.fetch('/index.html')).headers.get('content-security-policy')).toContain('sha256-')
  })

  it('sends the compressed copy of a file, and its page compressed', async () => {
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      for (const path of ['/assets/long-abc.js', '/', '/index.html']) {
        const answer = await app.fetch(path, { headers: { 'accept-encoding': accepted } })
        expect([path, answer.headers.get('content-encoding')]).toEqual([path, encoding])
        expect(answer.headers.get('vary')?.toLowerCase()).toBe('accept-encoding')
        const type = path.endsWith('.js') ? /javascript/ : /^text\/html/
        expect(answer.headers.get('content-type')).toMatch(type)
        expect(await answer.text()).toContain(path.endsWith('.js') ? SCRIPT : 'id="root"')
      }
    }
    expect((await app.fetch('/assets/index-abc.js')).headers.get('content-encoding')).toBeNull()
  })

  it('answers HEAD, a part, and an unchanged file with the headers of the compressed copy', async () => {
    const path = '/assets/long-abc.js'
    const gzip = { 'accept-encoding': 'gzip' }
    const whole = await bytesOf(path, gzip)
    expect(gunzipSync(whole.body).toString()).toBe(SCRIPT)
    const head = await app.fetch(path, { method: 'HEAD', headers: gzip })
    expect(head.headers.get('content-length')).toBe(String(whole.body.length))
    expect(head.headers.get('content-encoding')).toBe('gzip')

    const part = await bytesOf(path, { ...gzip, range: 'bytes=2-5' })
    expect(part.status).toBe(206)
    expect(part.body).toEqual(whole.body.subarray(2, 6))
    const plainPart = await bytesOf(path, { range: 'bytes=0-5' })
    expect(plainPart.body.toString()).toBe(SCRIPT.slice(0, 6))

    const unchanged = await bytesOf(path, { ...gzip, 'if-none-match': whole.headers.etag! })
    expect([unchanged.status, unchanged.body.length]).toEqual([304, 0])
    const plain = await bytesOf(path, { 'if-none-match': whole.headers.etag! })
    expect(plain.status).toBe(200)
  })

  it.each([
    '/assets/../../etc/passwd',
    '/assets/%2e%2e/%2e%2e/etc/passwd',
    '/assets/none.js',
    '/assets/long-abc.js.br',
    '/assets/',
  ])('has no file at %s', async (path) => {
    expect((await app.fetch(path)).status).toBe(404)
  })
})

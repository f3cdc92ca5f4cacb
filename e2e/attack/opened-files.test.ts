import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { FOREIGN, HTML, LURES, MARKDOWN, ODD_TYPES, SVG, XML } from '../support/hostile-corpus.ts'
import { aRunHead, multipart, type Part, postMultipart, send } from '../support/raw-ingest.ts'
import { inFull } from '../support/scale.ts'
import { type SharedServer, shareServer } from '../support/share-server.ts'

/** Names of files and their content, with the type that they claim. */
const FILES: readonly (readonly [name: string, type: string, content: string])[] = [
  ['page.html', 'text/html', HTML],
  ['picture.svg', 'image/svg+xml', SVG],
  ['sheet.xml', 'application/xml', XML],
  [
    'page.xhtml',
    'application/xhtml+xml',
    `<html xmlns="http://www.w3.org/1999/xhtml"><script>alert('ran')</script></html>`,
  ],
  ['script.js', 'text/javascript', "alert('ran')"],
  ['lie.png', 'image/png', HTML],
  ['lie.txt', 'text/plain', HTML],
  ['lie.json', 'application/json', HTML],
  ['lie.pdf', 'application/pdf', HTML],
  ['text.md', 'text/markdown', MARKDOWN],
  ...ODD_TYPES.map((type, at) => [`odd-${at}`, type, HTML] as const),
]

let server: SharedServer
let browser: Awaited<ReturnType<typeof openBrowser>>
beforeAll(async () => {
  server = await shareServer()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

const api = () => `${server.url}/api/v1`

async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
  const answer = await send(`${api()}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300)
  return JSON.parse(answer.text) as Body
}

/** Opens a URL as a click on a link to it does, and returns what it did. */
async function open(url: string): Promise<readonly string[]> {
  const context = await browser.newContext({ acceptDownloads: true })
  const page = await context.newPage()
  const effects: string[] = []
  page.on('dialog', (dialog) => {
    effects.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', () => effects.push('a window was opened'))
  context.on('request', (request) => {
    if (request.url().startsWith(FOREIGN)) effects.push(`request: ${request.url()}`)
  })
  try {
    const isDownload = await goTo(page, url)
    if (!isDownload) {
      // A script that is not stopped has run by now: frames and pictures are loaded.
      await page.waitForLoadState('networkidle')
      const origin = await page.evaluate(() => window.origin)
      // Scripts of the page itself would have the rights of the user who is signed in.
      if (origin !== 'null' && !/^text\/plain|json/.test(await page.evaluate(() => document.contentType)))
        effects.push(`${await page.evaluate(() => document.contentType)} in the origin ${origin}`)
    }
  } finally {
    await context.close()
  }
  return effects
}

/** @returns whether the browser downloads it */
async function goTo(page: Page, url: string): Promise<boolean> {
  const downloaded = page.waitForEvent('download', { timeout: 0 }).then(() => true)
  downloaded.catch(() => undefined) // the page is closed first
  const shown = page.goto(url).then(
    () => false,
    (error: Error) => {
      if (/ERR_ABORTED|Download is starting/.test(error.message)) return downloaded
      throw error
    },
  )
  return Promise.race([shown, downloaded])
}

describe('files from a stranger, opened in a browser', () => {
  it('would be noticed when they run', async () => {
    const careless = createServer((_, response) => response.setHeader('content-type', 'text/html').end(HTML))
    await new Promise<void>((resolve) => careless.listen(0, '127.0.0.1', resolve))
    try {
      const effects = await open(`http://127.0.0.1:${(careless.address() as AddressInfo).port}/`)
      expect(effects).toEqual(expect.arrayContaining(['dialog: ran', `request: ${FOREIGN}/html.png`]))
    } finally {
      careless.closeAllConnections()
      careless.close()
    }
  })

  it('run no script and load nothing, as attachments of a run', { timeout: 120_000 }, async () => {
    const run = aRunHead({ session_name: 'files' })
    const parts: Part[] = [
      { name: `post.${run.id}`, body: JSON.stringify(run) },
      ...FILES.map(([name, type, body]) => ({
        name: `attachment.${run.id}.${name.replaceAll('.', '-')}`,
        body,
        type: type.replaceAll('\t', ' '),
      })),
    ]
    const answer = await postMultipart(server.url, multipart(parts))
    expect(answer.status, answer.text).toBe(202)
    const { s3_urls } = await call<{ s3_urls: Record<string, { presigned_url: string }> }>('GET', `/runs/${run.id}`)
    const urls = Object.entries(s3_urls).filter(([name]) => name.startsWith('attachment.'))
    expect(urls).toHaveLength(FILES.length)
    for (const [name, { presigned_url }] of urls) {
      expect({ name, effects: await open(new URL(presigned_url, `${api()}/`).toString()) }).toEqual({
        name,
        effects: [],
      })
    }
  })

  it('run no script and load nothing, as exports', { timeout: 120_000 }, async () => {
    const texts = [HTML, SVG, ...LURES].map((text) => text.replaceAll('\0', '').toWellFormed())
    const { id } = await call<{ id: string }>('POST', '/datasets', { name: `<img src=x onerror=alert('ran')>.html` })
    const examples = texts.map((text) => ({ dataset_id: id, inputs: { [text]: text }, outputs: { html: text } }))
    await call('POST', '/examples/bulk', examples)
    const run = { ...aRunHead({ session_name: 'exports' }), inputs: { html: HTML }, outputs: { svg: SVG } }
    await call('POST', '/runs/batch', { post: [run] })
    const [project] = await call<{ id: string }[]>('GET', '/sessions?name=exports')
    const urls = ['csv', 'jsonl', 'openai', 'openai_ft'].map((format) => `${api()}/datasets/${id}/${format}`)
    for (const format of ['jsonl', 'csv', 'parquet']) {
      const body = { action: 'export', session: [project!.id], format }
      const { job } = await call<{ job: { id: string } }>('POST', '/bulk', body)
      const read = () => call<{ download_url: string | null }>('GET', `/jobs/${job.id}`)
      await expect.poll(async () => (await read()).download_url).not.toBeNull()
      urls.push(new URL(String((await read()).download_url), server.url).toString())
    }
    for (const url of urls) expect({ url, effects: await open(url) }).toEqual({ url, effects: [] })
  })

  it('run no script and load nothing, as pages of the API that show names and errors', {
    timeout: 120_000,
  }, async () => {
    const run = aRunHead({ session_name: 'links' })
    await call('POST', '/runs/batch', { post: [run] })
    const urls: string[] = []
    for (const lure of LURES.slice(0, inFull(4, LURES.length))) {
      const key = lure.replaceAll(/\p{C}/gu, '').slice(0, 100)
      const made = await call<{ url: string }>('POST', '/feedback/tokens', { run_id: run.id, feedback_key: key })
      const said = encodeURIComponent(lure.toWellFormed())
      urls.push(made.url, `${made.url}?comment=${said}&score=${said}&value=${said}`)
      urls.push(
        `${api()}/${said}`,
        `${api()}/runs/${said}`,
        `${api()}/sessions?name=${said}`,
        `${server.url}/ok?x=${said}`,
      )
    }
    for (const url of urls) {
      const target = new URL(url)
      const effects = (await open(`${server.url}${target.pathname}${target.search}`)).filter(
        (one) => !/ in the origin /.test(one),
      )
      expect({ url, effects }).toEqual({ url, effects: [] })
    }
  })
})

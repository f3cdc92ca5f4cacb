import { readFileSync } from 'node:fs'
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followPath } from '../support/follow-path.ts'
import { LURES } from '../support/hostile-corpus.ts'
import { inFull, isFull } from '../support/scale.ts'
import { type HostileWorkspace, seedHostile } from '../support/seed-hostile.ts'
import { DESKTOP, getConsoleMessages, PHONE, startUi, type Ui } from '../support/start-ui.ts'

const VIEWS = ['tree', 'waterfall', 'flame', 'graph', 'thread']
const TABS = ['chat', 'io', 'metadata', 'feedback', 'events', 'files', 'raw', 'rules']

let ui: Ui
let hostile: HostileWorkspace
/** Pages for the tests that go through pages of the UI; in `npm run test:full`, each test has its own. */
let shared: readonly Promise<Watched>[] | undefined
beforeAll(async () => {
  ui = await startUi()
  hostile = await seedHostile(ui.server.url)
  if (isFull) return
  shared = openPages()
  await Promise.all(shared)
})
afterAll(() => ui?.stop())

/** A page, and what happened on it that hostile content must not cause. */
type Watched = Awaited<ReturnType<typeof openWatched>>

const PAGES_AT_ONCE = 3

/** Shares items among several pages, because most of a visit is waiting for the server. */
async function visitAll<Item>(
  items: readonly Item[],
  visit: (watched: Watched, item: Item) => Promise<void>,
  pages: readonly Promise<Watched>[] = openPages(),
): Promise<void> {
  const left = items.values()
  const visitNext = async (opened: Promise<Watched>) => {
    const watched = await opened
    for (const item of left) await visit(watched, item)
  }
  await Promise.all(pages.map(visitNext))
}

const openPages = () => Array.from({ length: PAGES_AT_ONCE }, openWatched)

/** Goes to an address as a link does, so that the UI is not loaded again; in `npm run test:full`, it is. */
async function visit(watched: Watched, path: string): Promise<void> {
  await followPath(watched.page, ui.server.url, path)
  await settle(watched)
}

/** Opens a page that records dialogs, requests to other hosts, and changes by scripts. */
async function openWatched() {
  const page = await ui.open('/login', { key: hostile.key })
  const wrongs: string[] = []
  page.on('dialog', (dialog) => {
    wrongs.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', () => wrongs.push('a window was opened'))
  page.on('download', (download) => wrongs.push(`download: ${download.url()}`))
  const requests = { started: 0, underWay: new Set<Request>() }
  page.context().on('request', (request) => {
    requests.started++
    requests.underWay.add(request)
    if (isForeign(request)) wrongs.push(`request: ${request.url()}`)
  })
  page.context().on('requestfinished', (request) => requests.underWay.delete(request))
  page.context().on('requestfailed', (request) => requests.underWay.delete(request))
  return { page, wrongs, requests }
}

const isForeign = (request: Request) =>
  !request.url().startsWith(ui.server.url) && !/^(data|blob|about):/.test(request.url())

const QUIET_FRAMES = 12

/** Waits until the page is rendered: it loads nothing, and for some frames asks for nothing. */
async function settle({ page, requests }: Watched): Promise<void> {
  await page.locator('#root > *').first().waitFor()
  if (isFull) await page.waitForLoadState('networkidle')
  let before: number
  let isLoading: boolean
  do {
    before = requests.started
    isLoading = await page.evaluate(async (frames) => {
      for (let frame = 0; frame < frames; frame++) await new Promise(requestAnimationFrame)
      return document.querySelector('[aria-busy=true], [data-stale], [role=status][aria-label^=Loading]') !== null
    }, QUIET_FRAMES)
  } while (isLoading || requests.underWay.size > 0 || requests.started > before)
}

/** Elements and attributes that the pages of the product never contain. */
function findings(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const note = (element: Element, why: string) => found.push(`${why}: ${element.outerHTML.slice(0, 200)}`)
    for (const element of document.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        if (/^on/i.test(name)) note(element, `handler ${name}`)
        const isLink = ['href', 'src', 'action', 'formaction', 'data', 'srcdoc', 'xlink:href', 'poster'].includes(name)
        if (isLink && /^\s*(javascript|vbscript|data:text)/i.test(value)) note(element, `script in ${name}`)
        if (name === 'style' && /url\(|expression\(|@import/i.test(value)) note(element, 'style')
      }
      const tag = element.tagName.toLowerCase()
      if (['object', 'embed', 'base', 'math', 'applet', 'frame'].includes(tag)) note(element, 'element')
      if (tag === 'iframe' && !element.hasAttribute('sandbox')) note(element, 'frame without a sandbox')
      if (tag === 'meta' && element.hasAttribute('http-equiv')) note(element, 'element')
      if (tag === 'img' && /^https?:/.test((element as HTMLImageElement).src)) {
        if (!(element as HTMLImageElement).src.startsWith(location.origin)) note(element, 'foreign picture')
      }
      if (tag === 'a' && (element as HTMLAnchorElement).origin !== location.origin) {
        const { protocol, rel } = element as HTMLAnchorElement
        if (!/^(https?:|mailto:|blob:)$/.test(protocol)) note(element, 'link')
        if (!rel.includes('noopener')) note(element, 'foreign link without rel=noopener')
      }
    }
    if (({} as { polluted?: string }).polluted !== undefined) found.push('Object.prototype is polluted')
    if (getComputedStyle(document.body).display === 'none') found.push('the page is hidden')
    return found
  })
}

async function expectHarmless(page: Page, wrongs: readonly string[], where: string, expected?: RegExp): Promise<void> {
  expect({ where, findings: await findings(page) }).toEqual({ where, findings: [] })
  expect({ where, wrongs }).toEqual({ where, wrongs: [] })
  // A violation of the content policy would appear here: content must not even try.
  const messages = getConsoleMessages(page).filter((text) => !expected?.test(text))
  expect({ where, messages }).toEqual({ where, messages: [] })
}

const fill = (path: string) =>
  path
    .replace('$tenant', ui.tenant)
    .replace('$projectId', hostile.projectId)
    .replace(/\$(runId|run|id)\b/, hostile.roots[0]!)
    .replace('$token', path.startsWith('/public/$token/d') ? hostile.datasetToken : hostile.shareToken)
    .replace('$datasetId', hostile.datasetId)
    .replace('$exampleId', hostile.exampleId)
    .replace('$queueId', hostile.queueId)
    .replace('$evaluatorId', hostile.evaluatorId)
    .replace('$owner/$repo/{-$commit}', `-/${hostile.repo}`)
    .replace('$threadId', encodeURIComponent(hostile.threadId))
    .replace(/\$\w*/, encodeURIComponent(LURES[1]!))

/** Every page of the router. */
function everyPath(): string[] {
  const generated = new URL('../../packages/web/src/route-tree.gen.ts', import.meta.url)
  const [, table] = /interface FileRoutesByFullPath \{([\s\S]*?)\n\}/.exec(readFileSync(generated, 'utf8'))!
  return [...table!.matchAll(/^ {2}'([^']+)'/gm)].map(([, path]) => path!)
}

describe('hostile content in every field', () => {
  it('is text on every page of the router, and never widens the page of a phone', { timeout: 300_000 }, async () => {
    const show = async (watched: Watched, path: string, expected?: RegExp) => {
      const { page, wrongs } = watched
      await visit(watched, fill(path))
      await expectHarmless(page, wrongs, path, expected)
      await page.setViewportSize(PHONE)
      await settle(watched)
      const width = () => page.evaluate(() => document.documentElement.scrollWidth)
      await expect.poll(width, { message: path }).toBe(PHONE.width)
      await expectHarmless(page, wrongs, `${path} on a phone`, expected)
      await page.setViewportSize(DESKTOP)
    }
    // The token is not an invitation, and the rest of these paths names nothing, so a request is refused.
    const isRefused = (path: string) =>
      path.startsWith('/invite/') || ['/datasets/$', '/context/$', '/hub/$', '/prompts/$'].includes(path)
    await visitAll(
      everyPath().filter((path) => !isRefused(path)),
      show,
      shared,
    )
    const refused = await openWatched()
    for (const path of everyPath().filter(isRefused)) await show(refused, path, /40[04]/)
  })

  it.each(VIEWS)('is text in a trace: %s, and in every tab of its runs', async (view) => {
    const kinds = [hostile.roots[1]!, hostile.model, hostile.failed]
    const runs = view === 'tree' ? kinds : kinds.slice(0, 1)
    const tabs = view === 'tree' ? TABS : ['chat', 'io']
    await visitAll(
      runs.flatMap((run) => tabs.map((tab) => ({ run, tab }))),
      async (watched, { run, tab }) => {
        await visit(watched, `/o/${ui.tenant}/projects/p/${hostile.projectId}/r/${run}?v=${view}&tab=${tab}`)
        await expectHarmless(watched.page, watched.wrongs, `${view} ${tab} of ${run}`)
      },
      shared,
    )
  })

  it('is text in conversations', async () => {
    // The first one has every text as a message; each of the others has one, beside names and tags of its own.
    await visitAll(
      inFull(hostile.roots.slice(0, 1), hostile.roots),
      async (watched, run) => {
        const { page, wrongs } = watched
        await visit(watched, `/o/${ui.tenant}/projects/p/${hostile.projectId}/r/${run}?tab=chat`)
        if (run === hostile.roots[0]) await page.getByText(LURES[1]!).first().waitFor()
        await expectHarmless(page, wrongs, `chat of ${run}`)
      },
      shared,
    )
  })

  it('is text in the menus and dialogs that list names', async () => {
    const watched = await openWatched()
    const { page, wrongs } = watched
    const project = `/o/${ui.tenant}/projects/p/${hostile.projectId}`
    const dialog = page.getByRole('dialog')
    const openers: Record<string, { path: string; open: () => Promise<void> }> = {
      datasets: {
        path: `/r/${hostile.roots[1]}`,
        open: () => page.getByRole('button', { name: 'Add to dataset' }).click(),
      },
      queues: { path: `/r/${hostile.roots[1]}`, open: () => page.keyboard.press('Shift+Q') },
      views: { path: '', open: () => page.keyboard.press('v') },
      dashboards: { path: '/monitor', open: () => page.getByRole('button', { name: /^Dashboard: / }).click() },
    }
    for (const [what, { path, open }] of Object.entries(openers)) {
      await visit(watched, project + path)
      await open()
      await dialog
        .or(page.getByRole('menu'))
        .or(page.getByRole('textbox', { name: /view/ }))
        .first()
        .waitFor()
      // A list of names may load when it is opened.
      if (what === 'datasets' || what === 'queues') await dialog.getByRole('combobox').first().focus()
      if (what === 'datasets' || what === 'queues') await page.keyboard.press('ArrowDown')
      await settle(watched)
      await expectHarmless(page, wrongs, what)
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
    }
  })

  it('is text where a URL contains it', async () => {
    const project = `/o/${ui.tenant}/projects/p/${hostile.projectId}`
    const paths = [LURES[1]!, LURES[4]!, LURES[12]!, LURES[16]!].map(encodeURIComponent).flatMap((said, at) =>
      [
        `${project}?filter=${said}&q=${said}&t=${said}&cols=${said}&sort=${said}&peek=${said}`,
        `${project}/r/${hostile.roots[0]}?v=${said}&tab=${said}&path=${said}&q=${said}&types=${said}`,
        `/o/${said}/projects?q=${said}`,
        `/go/${said}`,
        // Each text in two of the paths, and each path with two of the texts.
      ].filter((_, number) => isFull || number === at || number === (at + 1) % 4),
    )
    await visitAll(paths, async (watched, path) => {
      const { page, wrongs } = watched
      await page.goto(ui.server.url + path)
      await settle(watched)
      expect({ path, findings: await findings(page), wrongs }).toEqual({ path, findings: [], wrongs: [] })
    })
  })

  it('does not redirect to other hosts after a sign-in', async () => {
    const { page, wrongs } = await openWatched()
    for (const next of ["javascript:alert('ran')", '//evil.example/', 'https://evil.example/', '/\\evil.example']) {
      await page.goto(`${ui.server.url}/login?next=${encodeURIComponent(next)}`)
      await page.getByRole('button', { name: 'Use an API key instead' }).click()
      await page.getByLabel('API key').fill(hostile.key)
      await page.keyboard.press('Enter')
      await expect.poll(() => new URL(page.url()).pathname).not.toBe('/login')
      // Once: no address on the way may be another.
      expect(page.url().startsWith(ui.server.url)).toBe(true)
      expect(wrongs).toEqual([])
    }
  })
})

describe('the server', () => {
  it('sends pages with a policy that blocks inline scripts', async () => {
    const { page } = await openWatched()
    for (const path of ['/', fill('/o/$tenant/projects'), fill('/public/$token/r'), '/index.html', '/no/such/page']) {
      const headers = (await page.goto(ui.server.url + path))!.headers()
      const policy = headers['content-security-policy'] ?? ''
      const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? ''
      expect({ path, scripts }).toEqual({ path, scripts: expect.stringMatching(/^'self'( 'sha256-[\w+/=]+')*$/) })
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("base-uri 'none'")
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it('sends attachments as files that cannot run scripts', async () => {
    const headers = { 'x-api-key': hostile.key, 'content-type': 'application/json' }
    const body = JSON.stringify({
      session: [hostile.projectId],
      run_type: 'tool',
      limit: 100,
      select: ['id', 's3_urls'],
    })
    const found = await fetch(`${ui.server.url}/api/v1/runs/query`, { method: 'POST', headers, body })
    const { runs } = (await found.json()) as { runs: { s3_urls: Record<string, { presigned_url: string }> | null }[] }
    const files = runs
      .flatMap(({ s3_urls }) => Object.entries(s3_urls ?? {}))
      .filter(([name]) => name.startsWith('att'))
    expect(files.length).toBeGreaterThanOrEqual(LURES.length)
    for (const [, { presigned_url }] of files) {
      const answer = await fetch(new URL(presigned_url, `${ui.server.url}/api/v1/`))
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      // A file that could run scripts is a download, regardless of its declared type.
      if (/html|xml|script|xsl|mixed|flash/i.test(answer.headers.get('content-type') ?? '')) {
        expect(answer.headers.get('content-disposition')).toMatch(/^attachment/)
      }
    }
  })
})

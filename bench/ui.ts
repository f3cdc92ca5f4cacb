/// <reference lib="dom" />
/**
 * `npm run bench ui [runs…]`: the trace view in a headless Chromium against the built server, with traces of 10,000 and
 * 50,000 runs, two compared traces of 5,000 runs, and JSON of 20 MB. Milliseconds, measured on one page each. @default
 * 10000 50000
 */
import type { Page } from 'playwright-core'
import { startUi, type Ui } from '../e2e/support/start-ui.ts'
import { projectIdOf, TraceWriter, writeLargeTrace } from '../e2e/support/trace-writer.ts'
import { percentile, printTable } from './support/figures.ts'

const sizes = process.argv.slice(2).map(Number).filter(Boolean)
const ui = await startUi({ env: { TOUCHSTONE_MAX_PART_BYTES: '40000000' } })
try {
  const traces = []
  for (const size of sizes.length > 0 ? sizes : [10_000, 50_000]) traces.push(await measureTrace(ui, size))
  printTable(
    [
      'trace of',
      'run tree MB',
      'run tree → painted',
      'opened',
      'rows',
      'scroll p95',
      'zoom p95',
      'next run p95',
      'search',
      'flame zoom p95',
      'longest task',
    ],
    traces,
  )
  console.log()
  printTable(['compared', 'run trees → rows', 'opened', 'rows', 'longest task'], [await measureCompare(ui, 5_000)])
  console.log()
  printTable(
    ['JSON', 'MB', 'payload → rows', 'opened', 'first hit', 'open 80,000', 'scroll p95', 'longest task'],
    [await measureJson(ui)],
  )
} finally {
  await ui.stop()
}

async function measureTrace({ server, tenant, open }: Ui, size: number) {
  const project = `bench ${size}`
  const root = await writeLargeTrace(server.url, project, size)
  const projectId = await projectIdOf(server.url, project)
  const page = await open('/login')
  await prepare(page)
  await page.goto(`${server.url}/o/${tenant}/projects/p/${projectId}/r/${root.id}?trace_id=${root.id}`)
  await page.locator('[role=treeitem]').first().waitFor()
  await page.waitForTimeout(1_500)
  const { paintedAt, treeAt, treeBytes } = await page.evaluate(readWatch, '/runs/columns')
  const rows = await page.locator('[role=tree] [role=treeitem]').count()
  await page.evaluate(() => {
    ;(window as unknown as Watch).longest = 0
  })
  const scroll = await scrollFrames(page, '[role=tree]')
  const zoom = await framesOf(page, async () => {
    for (let i = 0; i < 12; i++) await page.keyboard.press(i < 6 ? 'w' : 's')
  })
  const next = await nextRuns(page)
  const search = await timeOf(async () => {
    await page.getByRole('searchbox', { name: 'Search runs' }).fill('boom 997')
    await page
      .getByText(` of ${size.toLocaleString('en-US')}`, { exact: false })
      .first()
      .waitFor()
  })
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+Digit3')
  await page.getByRole('group', { name: 'Flame chart' }).waitFor()
  const flame = await framesOf(page, async () => {
    for (let i = 0; i < 12; i++) await page.keyboard.press(i < 6 ? 'w' : 's')
  })
  const { longest } = await page.evaluate(readWatch, '/runs/columns')
  await page.context().close()
  return [
    size.toLocaleString('en-US'),
    treeBytes / 1e6,
    paintedAt - treeAt,
    paintedAt,
    rows,
    percentile(scroll, 0.95),
    percentile(zoom, 0.95),
    percentile(next, 0.95),
    search,
    percentile(flame, 0.95),
    longest,
  ]
}

/** Compares two traces of a size, one of them slightly shorter. */
async function measureCompare({ server, tenant, open }: Ui, size: number) {
  const a = await writeLargeTrace(server.url, 'bench compare', size)
  const b = await writeLargeTrace(server.url, 'bench compare', size - 100)
  const page = await open('/login')
  await prepare(page)
  await page.goto(`${server.url}/o/${tenant}/compare-runs?a=${a.id}&b=${b.id}`)
  await page.locator('[role=treeitem]').first().waitFor()
  await page.waitForTimeout(500)
  const { paintedAt, lastTreeAt, longest } = await page.evaluate(readWatch, '/runs/columns')
  const rows = await page.locator('[role=tree] [role=treeitem]').count()
  await page.context().close()
  return [`2 × ${size.toLocaleString('en-US')}`, paintedAt - lastTreeAt, paintedAt, rows, longest]
}

async function measureJson({ server, tenant, open }: Ui) {
  const writer = new TraceWriter(server.url, 'bench json')
  const items = Array.from({ length: 80_000 }, (_, i) => ({
    i,
    tags: ['red', 'green'],
    nested: { text: 'x'.repeat(170) },
  }))
  const run = writer.add({ name: 'huge', inputs: { items }, outputs: { id: 'needle' } })
  await writer.send()
  const page = await open('/login')
  await prepare(page)
  const projectId = await projectIdOf(server.url, 'bench json')
  await page.goto(`${server.url}/o/${tenant}/projects/p/${projectId}/r/${run.id}?trace_id=${run.id}&tab=io`)
  const json = page.getByRole('tree', { name: 'inputs and outputs' })
  await json.getByText('[80,000]').waitFor()
  await page.waitForTimeout(500)
  const { jsonAt, payloadAt, payloadBytes, longest } = await page.evaluate(readWatch, run.id)
  const search = await timeOf(async () => {
    await page.getByRole('searchbox', { name: 'Search inputs and outputs' }).fill('needle')
    await page.getByText('1 hit').waitFor()
  })
  const expand = await timeOf(async () => {
    await json.getByText('[80,000]').click()
    await json.getByText('{3}').first().waitFor()
  })
  const scroll = await scrollFrames(page, '[role=tree][aria-label="inputs and outputs"]')
  await page.context().close()
  return ['run', payloadBytes / 1e6, jsonAt - payloadAt, jsonAt, search, expand, percentile(scroll, 0.95), longest]
}

interface Watch {
  paintedAt: number
  jsonAt: number
  longest: number
}

/** Observes a page from its first moment. */
async function prepare(page: Page): Promise<void> {
  // The loader of this file marks functions with a helper that does not exist in the page.
  await page.addInitScript('globalThis.__name = (named) => named')
  await page.addInitScript(watchPage)
}

/** Runs in the page from its first moment: records when rows were painted, and the longest task. */
function watchPage() {
  const watch = window as unknown as Watch
  Object.assign(watch, { paintedAt: 0, jsonAt: 0, longest: 0 })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watch.longest = Math.max(watch.longest, duration)
  }).observe({ type: 'longtask' })
  const look = () => {
    const now = performance.now()
    if (!watch.paintedAt && document.querySelector('[role=tree] [role=treeitem]')) watch.paintedAt = now
    if (!watch.jsonAt && document.querySelector('[aria-label="inputs and outputs"] [role=treeitem]')) watch.jsonAt = now
    if (!watch.paintedAt || !watch.jsonAt) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

function readWatch(part: string) {
  const { paintedAt, jsonAt, longest } = window as unknown as Watch
  const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  const wanted = entries.filter(({ name }) => name.includes('/api/') && name.split('?')[0]!.endsWith(part))
  const found = wanted[0]
  const lastTreeAt = wanted.at(-1)?.responseEnd ?? Number.NaN
  const at = found?.responseEnd ?? Number.NaN
  const bytes = found?.decodedBodySize ?? Number.NaN
  return { paintedAt, jsonAt, longest, lastTreeAt, treeAt: at, treeBytes: bytes, payloadAt: at, payloadBytes: bytes }
}

/** Frame times in milliseconds while a list is scrolled from its top for two seconds. */
function scrollFrames(page: Page, selector: string): Promise<number[]> {
  return page.evaluate(async (list) => {
    const box = document.querySelector(list)!
    const frames: number[] = []
    const begin = performance.now()
    let last = begin
    box.scrollTop = 0
    while (last - begin < 2_000) {
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
      frames.push(now - last)
      last = now
      box.scrollTop += 120
    }
    return frames.slice(2)
  }, selector)
}

/** Frame times in milliseconds during an action. */
async function framesOf(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const seen = window as unknown as { frames: number[]; recording: boolean }
    Object.assign(seen, { frames: [], recording: true })
    let last = performance.now()
    const look = (now: number) => {
      seen.frames.push(now - last)
      last = now
      if (seen.recording) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  await act()
  return page.evaluate(() => {
    const seen = window as unknown as { frames: number[]; recording: boolean }
    seen.recording = false
    return seen.frames.slice(1)
  })
}

/** From the key press to the frame in which the panel shows the next run, twenty times at a reader's pace. */
async function nextRuns(page: Page): Promise<number[]> {
  const times: number[] = []
  await page.locator('[role=tree]').first().focus()
  for (let i = 0; i < 20; i++) {
    await page.waitForTimeout(300)
    times.push(
      await page.evaluate(async () => {
        const panel = document.querySelector('[data-pane=run]')!
        const idOf = () => panel.querySelector('header [title]:not([title=""])')?.closest('header')?.textContent
        const before = `${location.pathname}${idOf()}`
        const begin = performance.now()
        document.activeElement!.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'j', bubbles: true, cancelable: true }),
        )
        while (`${location.pathname}${idOf()}` === before && performance.now() - begin < 2_000) {
          await new Promise((resolve) => requestAnimationFrame(resolve))
        }
        return performance.now() - begin
      }),
    )
  }
  return times
}

async function timeOf(act: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await act()
  return performance.now() - begin
}

/**
 * `npm run bench ui-wire [-- --list]`: what a browser without a cache receives for a page of the built server: requests
 * and kilobytes as they arrive, hence compressed. `--list` prints every answer. Each page is opened in a profile of its own.
 */
import { type FirstPage, seedFirstPages } from '../e2e/support/first-pages.ts'
import { startUi } from '../e2e/support/start-ui.ts'
import { projectIdOf, writeLargeTrace } from '../e2e/support/trace-writer.ts'
import { measureWire, sumBytes, WIRE_GOAL } from '../e2e/support/wire.ts'
import { printTable } from './support/figures.ts'

const TRACE_RUNS = 10_000

const isVerbose = process.argv.includes('--list')
const ui = await startUi()
try {
  const pages = await seedFirstPages(ui.server.url, ui.tenant)
  const root = await writeLargeTrace(ui.server.url, 'large', TRACE_RUNS)
  const large: FirstPage = {
    name: `Trace of ${TRACE_RUNS.toLocaleString('en-US')} runs`,
    path: `/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, 'large')}/r/${root.id}?trace_id=${root.id}`,
    isShown: (page) => page.locator('[role=treeitem]').first().waitFor(),
  }
  const rows = []
  for (const page of [...pages, large]) rows.push(await measure(page))
  const columns = ['page without a cache', 'requests', 'of the API', 'kB', 'of the API', 'scripts kB', 'ahead', 'kB']
  printTable(columns, rows)
  console.log(
    `goal: ${WIRE_GOAL.requests} requests, ${WIRE_GOAL.bytes / 1000} kB; "ahead" comes after the page is drawn`,
  )
} finally {
  await ui.stop()
}

async function measure({ name, path, isShown }: FirstPage) {
  const context = await ui.browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const { requests, bytes, answers, ahead } = await measureWire(page, async () => {
    await page.goto(ui.server.url + path)
    await isShown(page)
  })
  await context.close()
  if (isVerbose) {
    for (const [title, list] of [
      [name, answers],
      [`${name}, ahead`, ahead],
    ] as const) {
      console.log(`\n${title}`)
      for (const [url, size] of list)
        console.log(`${(size / 1000).toFixed(1).padStart(8)} kB  ${new URL(url).pathname}`)
    }
    console.log()
  }
  const only = (isWanted: (url: string) => boolean) => new Map([...answers].filter(([url]) => isWanted(url)))
  const ofApi = only((url) => url.includes('/api/'))
  const scripts = only((url) => url.endsWith('.js'))
  return [
    ...[name, requests, ofApi.size, bytes / 1000, sumBytes(ofApi) / 1000, sumBytes(scripts) / 1000],
    ...[ahead.size, sumBytes(ahead) / 1000],
  ]
}

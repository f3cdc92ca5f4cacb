/**
 * `npm run bench ui-wire [-- --list]`: what a browser without a cache receives for a page of the built server: requests
 * and kilobytes as they arrive, hence compressed. `--list` prints every answer. Each page is opened in a profile of its own.
 */
import type { Page } from 'playwright-core'
import { startUi } from '../e2e/support/start-ui.ts'
import { projectIdOf, writeLargeTrace } from '../e2e/support/trace-writer.ts'
import { measureWire, seedFullWorkspace, WIRE_GOAL } from '../e2e/support/wire.ts'
import { printTable } from './support/figures.ts'

const TRACE_RUNS = 10_000

const isVerbose = process.argv.includes('--list')
const ui = await startUi()
try {
  const list = await seedFullWorkspace(ui.server.url)
  const root = await writeLargeTrace(ui.server.url, 'large', TRACE_RUNS)
  const large = await projectIdOf(ui.server.url, 'large')
  const workspace = `/o/${ui.tenant}`
  const pages: [string, string, (page: Page) => Promise<unknown>][] = [
    ['Home', workspace, (page) => page.getByRole('link', { name: 'docs-assistant' }).first().waitFor()],
    ['Projects', `${workspace}/projects`, (page) => page.getByRole('row', { name: /docs-assistant/ }).waitFor()],
    ['Runs list', `${workspace}/projects/p/${list}`, (page) => page.locator('[data-row]').first().waitFor()],
    [
      `Trace of ${TRACE_RUNS.toLocaleString('en-US')} runs`,
      `${workspace}/projects/p/${large}/r/${root.id}?trace_id=${root.id}`,
      (page) => page.locator('[role=treeitem]').first().waitFor(),
    ],
  ]
  const rows = []
  for (const [name, path, settled] of pages) rows.push(await measure(name, path, settled))
  printTable(['page without a cache', 'requests', 'of the API', 'kB', 'of the API', 'scripts kB'], rows)
  console.log(`goal of Home and the runs list: ${WIRE_GOAL.requests} requests, ${WIRE_GOAL.bytes / 1000} kB`)
} finally {
  await ui.stop()
}

async function measure(name: string, path: string, settled: (page: Page) => Promise<unknown>) {
  const context = await ui.browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const { requests, bytes, answers } = await measureWire(page, async () => {
    await page.goto(ui.server.url + path)
    await settled(page)
  })
  await context.close()
  if (isVerbose) {
    console.log(`\n${name}`)
    for (const [url, size] of answers)
      console.log(`${(size / 1000).toFixed(1).padStart(8)} kB  ${new URL(url).pathname}`)
    console.log()
  }
  const ofApi = [...answers].filter(([url]) => url.includes('/api/'))
  const scripts = [...answers].filter(([url]) => url.endsWith('.js'))
  return [name, requests, ofApi.length, bytes / 1000, toKilobytes(ofApi), toKilobytes(scripts)]
}

function toKilobytes(answers: readonly (readonly [string, number])[]): number {
  return answers.reduce((sum, [, bytes]) => sum + bytes, 0) / 1000
}

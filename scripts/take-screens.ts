import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from '../e2e/support/browser.ts'
import { startServer } from '../e2e/support/start-server.ts'
import { seedDemo } from './seed/demo.ts'
import { root } from './steps/root.mjs'

// npx tsx --conditions=touchstone:source scripts/take-screens.ts: the pictures of the README, from the built server and
// the demo, so that anyone can take them again.
const folder = join(root, 'docs/screens')
mkdirSync(folder, { recursive: true })
const [server, browser] = await Promise.all([startServer(), openBrowser()])
try {
  await seedDemo(server.url)
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, deviceScaleFactor: 2 })
  await page.goto(`${server.url}${await aTracePath(server.url)}`)
  const trace = page.getByRole('tree').first()
  await trace.getByText('answer', { exact: true }).click()
  await page.getByRole('cell', { name: 'X-ray fluorescence' }).waitFor()
  await page.screenshot({ path: join(folder, 'trace.png') })
} finally {
  await browser.close()
  await server.stop()
}

/** The page of an agent's trace that has everything to look at: sub-agents, tools, streaming, an error. */
async function aTracePath(url: string): Promise<string> {
  const [project] = (await (await fetch(`${url}/sessions?name=research-agent`)).json()) as { id: string }[]
  const body = JSON.stringify({ session: [project!.id], is_root: true, limit: 1 })
  const answer = await fetch(`${url}/runs/query`, { method: 'POST', body })
  const { runs } = (await answer.json()) as { runs: { app_path: string }[] }
  return runs[0]!.app_path
}

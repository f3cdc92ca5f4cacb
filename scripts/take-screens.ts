import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../e2e/support/browser.ts'
import { startServer } from '../e2e/support/start-server.ts'
import { findDemoIds } from './screens/demo-ids.ts'
import { listPlaygroundScreens, type SeededPlayground, seedPlayground } from './screens/playground-screens.ts'
import { DOC_PICTURES, type DocPicture, listOtherPages, listScreens, type Screen } from './screens/screens.ts'
import { type Look, openPage, settle, shoot, show, THEMES } from './screens/shoot.ts'
import { seedDemo } from './seed/demo.ts'
import { seedEvaluations } from './seed/evaluations.ts'
import { seedPeople } from './seed/people.ts'
import { root } from './steps/root.mjs'

const HELP = `npx tsx --conditions=touchstone:source scripts/take-screens.ts [--docs] [parts of names]

Takes a picture of every screen at three widths in both themes, from the built server with a week of demo data, and
writes them to .cache/screens. With --docs it writes the pictures that the documentation uses to docs/screens.`

const { values: flags, positionals: wanted } = parseArgs({
  options: { docs: { type: 'boolean' }, help: { type: 'boolean' } },
  allowPositionals: true,
})
if (flags.help) {
  console.log(HELP)
  process.exit(0)
}
const folder = join(root, flags.docs ? 'docs/screens' : '.cache/screens')
const isWanted = ({ name }: { name: string }) => wanted.length === 0 || wanted.some((part) => name.includes(part))

// Two servers that start at once on a busy machine need more time.
const slowStart = { timeoutMs: 300_000 }
let playground: SeededPlayground | undefined
const [server, empty, browser] = await Promise.all([startServer(slowStart), startServer(slowStart), openBrowser()])
try {
  if (wanted.length === 0) rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await seedDemo(server.url, { hours: 167, questions: 500, conversations: 60 })
  const people = await seedPeople(server.url)
  const ids = await findDemoIds(server.url, { ...people, ...(await seedEvaluations(server.url, people.key)) })
  playground = await seedPlayground(server.url, ids.key)
  const screens = [...listScreens(ids), ...listPlaygroundScreens(ids.tenant, playground)]
  if (flags.docs) {
    for (const picture of DOC_PICTURES.filter(isWanted)) await takeForDocs(browser, screens, picture, ids.key)
  } else {
    const all = [...screens, ...listOtherPages(ids, screens)].filter(isWanted)
    const onboarding = [{ name: 'first-trace', path: '/' }].filter(isWanted)
    for (const size of [1440, 1024, 390] as const) {
      await takeAll(browser, server.url, all, { size, key: ids.key })
      await takeAll(browser, empty.url, onboarding, { size })
    }
  }
  printSummary()
} finally {
  await browser.close()
  await playground?.close()
  await Promise.all([server.stop(), empty.stop()])
}

async function takeAll(browser: Browser, url: string, all: readonly Screen[], look: Look) {
  const [signedIn, signedOut] = [await openPage(browser, look), await openPage(browser, { size: look.size })]
  for (const screen of all) {
    const page = screen.signedOut ? signedOut : signedIn
    await page.emulateMedia({ colorScheme: THEMES[0] })
    await page.goto(url + screen.path)
    await settle(page)
    try {
      await screen.prepare?.(page)
    } catch (failure) {
      console.error(`Not taken: ${screen.name} at ${look.size}: ${String(failure).split('\n')[0]}`)
      continue
    }
    await settle(page)
    for (const theme of THEMES) {
      await show(page, theme)
      await shoot(page, join(folder, `${screen.name}-${look.size}-${theme}.webp`))
    }
  }
  for (const page of [signedIn, signedOut]) await page.context().close()
}

async function takeForDocs(browser: Browser, screens: readonly Screen[], picture: DocPicture, key: string) {
  const screen = screens.find(({ name }) => name === picture.screen)
  if (screen === undefined) throw new Error(`There is no screen "${picture.screen}"`)
  const page = await openPage(browser, { size: 1440, scale: picture.scale, key })
  await page.goto(server.url + screen.path)
  await picture.prepare?.(page)
  await settle(page)
  await shoot(page, join(folder, `${picture.name}.webp`), picture.quality)
  await page.context().close()
}

function printSummary() {
  const files = readdirSync(folder).filter((file) => file.endsWith('.webp'))
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  console.log(`${files.length} pictures in ${folder}, ${(bytes / 1e6).toFixed(1)} MB`)
}

import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../e2e/support/browser.ts'
import { startServer } from '../e2e/support/start-server.ts'
import { findPlaces } from './screens/places.ts'
import { otherPages, type Screen, screens } from './screens/screens.ts'
import { type Look, openPage, SIZES, settle, shoot, show, THEMES } from './screens/shoot.ts'
import { seedDemo } from './seed/demo.ts'
import { seedPeople } from './seed/people.ts'
import { root } from './steps/root.mjs'

// npx tsx --conditions=touchstone:source scripts/take-screens.ts [words of names]: a picture of every screen at three
// widths in both themes, from the built server and a week of the demo, so that anyone can take them again.
const folder = join(root, 'docs/screens')
const wanted = process.argv.slice(2)
const isWanted = ({ name }: { name: string }) => wanted.length === 0 || wanted.some((word) => name.includes(word))

// Two servers that start at once on a busy machine take their time.
const patient = { timeoutMs: 300_000 }
const [server, empty, browser] = await Promise.all([startServer(patient), startServer(patient), openBrowser()])
try {
  if (wanted.length === 0) rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await seedDemo(server.url, { hours: 167, questions: 500, conversations: 60 })
  const places = await findPlaces(server.url, await seedPeople(server.url))
  const known = screens(places)
  const all = [...known, ...otherPages(places, known)].filter(isWanted)
  const onboarding = [{ name: 'first-trace', path: '/' }].filter(isWanted)
  for (const size of [1440, 1024, 390] as const) {
    await takeAll(browser, server.url, all, { size, key: places.key })
    await takeAll(browser, empty.url, onboarding, { size })
  }
  if (isWanted({ name: 'readme' })) await takeForReadme(browser, server.url, known, places.key)
  writeIndex()
} finally {
  await browser.close()
  await Promise.all([server.stop(), empty.stop()])
}

async function takeAll(browser: Browser, url: string, all: readonly Screen[], look: Look) {
  const [signedIn, stranger] = [await openPage(browser, look), await openPage(browser, { size: look.size })]
  for (const screen of all) {
    const page = screen.signedOut ? stranger : signedIn
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
  for (const page of [signedIn, stranger]) await page.context().close()
}

/** The picture at the top of the README: the trace of an agent that has everything to look at, sharp on any display. */
async function takeForReadme(browser: Browser, url: string, known: readonly Screen[], key: string) {
  const page = await openPage(browser, { size: 1440, scale: 2, key })
  await page.goto(url + known.find(({ name }) => name === 'trace-tree')!.path)
  await page.getByRole('tree').first().getByText('answer', { exact: true }).click()
  await page.getByRole('cell', { name: 'X-ray fluorescence' }).waitFor()
  await settle(page)
  await shoot(page, join(folder, 'trace.webp'), 70)
}

/** A page that shows them all, and says how large they are. */
function writeIndex() {
  const files = readdirSync(folder).filter((file) => /-\d+-(light|dark)\.webp$/.test(file))
  const names = [...new Set(files.map((file) => file.replace(/-\d+-(light|dark)\.webp$/, '')))].sort()
  const cell = (name: string, size: string, theme: string) => `[${size} ${theme}](${name}-${size}-${theme}.webp)`
  const rows = names.map((name) => {
    const others = Object.keys(SIZES).flatMap((size) => THEMES.map((theme) => cell(name, size, theme)))
    return `## ${name}\n\n![${name}](${name}-1440-light.webp)\n\n${others.join(' · ')}`
  })
  const head =
    '# Screens\n\n<!-- Written by scripts/take-screens.ts. -->\n\nEvery screen at 1440, 1024 and 390 pixels in both themes, taken from the built server with a week of the demo.'
  writeFileSync(join(folder, 'README.md'), `${[head, ...rows].join('\n\n')}\n`)
  const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  console.log(`${files.length} pictures of ${names.length} screens, ${(bytes / 1e6).toFixed(1)} MB`)
}

import { existsSync } from 'node:fs'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'

/** Path of a Chromium for tests, or `undefined` when there is none on the machine (see `npm test`). */
export function findBrowser(): string | undefined {
  const debian = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
  const places = [process.env.TOUCHSTONE_CHROMIUM, ...debian, chromium.executablePath()]
  return places.find((place) => place !== undefined && existsSync(place))
}

/** Opens a headless Chromium; close it when done. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch(launchOptions())
}

/** Opens a headless Chromium that other processes connect to; close it when done. */
export function openBrowserServer(): Promise<BrowserServer> {
  return chromium.launchServer(launchOptions())
}

function launchOptions() {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('No Chromium was found; `npm test` installs one.')
  // In a container, root has no user namespace for the sandbox, and /dev/shm is small.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-dev-shm-usage'] : []
  return { executablePath, args: ['--disable-gpu', ...asRoot] }
}

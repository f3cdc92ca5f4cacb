import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

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

/**
 * The Chromium of this process, which the files of a worker use one after the other; it ends with the process. A browser in another
 * process would cost a tenth more CPU time, to pass its messages on.
 */
export async function shareBrowser(): Promise<Browser> {
  const found = await shared.browser?.catch(() => undefined)
  if (found?.isConnected()) return found
  shared.browser = openBrowser()
  return shared.browser
}

const shared: { browser?: Promise<Browser> } = {}

function launchOptions() {
  const executablePath = findBrowser()
  if (executablePath === undefined) throw new Error('No Chromium was found; `npm test` installs one.')
  // In a container, root has no user namespace for the sandbox, and /dev/shm is small.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-dev-shm-usage'] : []
  return { executablePath, args: ['--disable-gpu', ...asRoot] }
}

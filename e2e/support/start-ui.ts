import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished, TestRunner } from 'vitest'
import { openBrowser } from './browser.ts'
import { type StartedServer, type StartOptions, startServer } from './start-server.ts'

export interface OpenOptions {
  /** @default 'light' */
  theme?: 'light' | 'dark'
  /** @default 1440 × 900 */
  size?: { width: number; height: number }
  /** An API key used for sign-in. */
  key?: string
}

export interface Ui {
  readonly server: StartedServer
  readonly browser: Browser
  /** Id of the only workspace. */
  readonly tenant: string
  /** A new browser profile with a page of the UI, e.g. `/projects`; it is closed when the test ends. */
  open(path: string, options?: OpenOptions): Promise<Page>
  stop(): Promise<void>
}

/** Viewport sizes for tests. */
export const PHONE = { width: 390, height: 844 }
export const DESKTOP = { width: 1440, height: 900 }

/** Starts the built server and a Chromium. */
export async function startUi(options: StartOptions = {}): Promise<Ui> {
  const [server, browser] = await Promise.all([startServer(options), openBrowser()])
  const settings = (await (await fetch(`${server.url}/api/v1/settings`)).json()) as { id?: string }
  const contexts = new Set<BrowserContext>()
  return {
    server,
    browser,
    tenant: settings.id ?? '',
    async open(path, { theme = 'light', size = DESKTOP, key } = {}) {
      const context = await browser.newContext({ viewport: size, colorScheme: theme })
      if (TestRunner.getCurrentTest() === undefined) contexts.add(context)
      // An open page keeps polling the server, which would slow down all later tests of the file.
      else onTestFinished(() => context.close())
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      if (key !== undefined) {
        await context.addInitScript((value) => localStorage.setItem('touchstone.api-key', value), key)
      }
      const page = await context.newPage()
      watchConsole(page)
      await page.goto(server.url + path)
      return page
    },
    async stop() {
      for (const context of contexts) await context.close()
      await browser.close()
      await server.stop()
    },
  }
}

/** Console errors and warnings of a page so far. */
export function getConsoleMessages(page: Page): readonly string[] {
  return consoleMessages.get(page) ?? []
}

/** Asserts that the console of a page is empty. */
export function expectQuietConsole(page: Page): void {
  expect(getConsoleMessages(page)).toEqual([])
}

const consoleMessages = new WeakMap<Page, string[]>()

function watchConsole(page: Page) {
  const said: string[] = []
  consoleMessages.set(page, said)
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(String(error)))
}

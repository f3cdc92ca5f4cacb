import { AxeBuilder } from '@axe-core/playwright'
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

/** Asserts that axe has no serious or critical findings and that the console is empty. */
export async function expectSound(page: Page): Promise<void> {
  await expectAccessible(page)
  expect(getConsoleMessages(page)).toEqual([])
}

/**
 * Asserts that axe has no serious or critical findings.
 *
 * @param except  a rule that does not apply to the page
 */
export async function expectAccessible(page: Page, except: string[] = []): Promise<void> {
  // A list is dimmed while it is read again, and has less contrast for that time.
  const stale = page.locator('[aria-busy=true], [data-stale]').first()
  await stale.waitFor({ state: 'detached', timeout: 10_000 }).catch(() => undefined)
  // The legacy mode collects its findings in the page itself; the other mode opens a second page for frames of other
  // origins. The only frame here shows a PDF, which the browser renders.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().disableRules(except).analyze()
  const findings = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join(' | ')}`)
  expect(findings).toEqual([])
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

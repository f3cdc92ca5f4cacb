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
  /** An API key that the browser has signed in with. */
  key?: string
}

export interface Ui {
  readonly server: StartedServer
  readonly browser: Browser
  /** Id of the only workspace. */
  readonly tenant: string
  /** A fresh browser profile showing a path of the UI, e.g. `/projects`; what a test opens is closed when it ends. */
  open(path: string, options?: OpenOptions): Promise<Page>
  stop(): Promise<void>
}

/** The sizes at which pages are looked at. */
export const PHONE = { width: 390, height: 844 }
export const DESKTOP = { width: 1440, height: 900 }

/** Starts the built server and a Chromium beside it. */
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
      // A page that stays open keeps asking the server, which every later test of the file would pay for.
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

/** What the console of a page has complained about so far. */
export function complaintsOf(page: Page): readonly string[] {
  return complaints.get(page) ?? []
}

/** No serious or critical finding of axe, and an empty console. */
export async function expectSound(page: Page): Promise<void> {
  await expectAccessible(page)
  expect(complaintsOf(page)).toEqual([])
}

/**
 * No serious or critical finding of axe.
 *
 * @param except  a rule that does not apply to the page
 */
export async function expectAccessible(page: Page, except: string[] = []): Promise<void> {
  // "Legacy" joins its findings in the page itself; the other way opens a second one for what frames of foreign origin
  // hold. The only frame here shows a PDF, which the browser draws.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().disableRules(except).analyze()
  const findings = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join(' | ')}`)
  expect(findings).toEqual([])
}

const complaints = new WeakMap<Page, string[]>()

function watchConsole(page: Page) {
  const said: string[] = []
  complaints.set(page, said)
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(String(error)))
}

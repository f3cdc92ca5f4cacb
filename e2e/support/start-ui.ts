import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished, TestRunner } from 'vitest'
import { shareBrowser } from './browser.ts'
import { PagePool } from './page-pool.ts'
import { inFull, isFull } from './scale.ts'
import { shareServer } from './share-server.ts'
import { type StartedServer, type StartOptions, startServer } from './start-server.ts'

export interface OpenOptions {
  /** @default 'light' */
  theme?: 'light' | 'dark'
  /** @default 1440 × 900 */
  size?: { width: number; height: number }
  /** An API key used for sign-in. */
  key?: string
}

export interface UiOptions extends StartOptions {
  /** @default false */
  readonly hasUsedPages?: boolean
}

export interface Ui {
  /** Without a trailing slash in `url`. */
  readonly server: { readonly url: string }
  readonly browser: Browser
  /** Id of the workspace of these tests. */
  readonly tenant: string
  /** A page of the UI, e.g. `/projects`, in a browser profile without any data; it is closed when the test ends. */
  open(path: string, options?: OpenOptions): Promise<Page>
  stop(): Promise<void>
}

/** A UI with a server of its own. */
export interface OwnUi extends Ui {
  readonly server: StartedServer
}

/** Drawing the frames of animations takes a tenth of the CPU time of the browser; people can turn them off. */
const MOTION = inFull('reduce' as const, 'no-preference' as const)

/** Viewport sizes for tests. */
export const PHONE = { width: 390, height: 844 }
export const DESKTOP = { width: 1440, height: 900 }

/**
 * Starts the built server for this file alone: for tests of accounts, keys, workspaces, the first start and
 * failures, and with other options. All others use `openWorkspace`, which starts nothing.
 *
 * @param hasUsedPages  a test gets the page of an earlier test, as with `openWorkspace`; not for tests of first loads, of signing in,
 *   and with two pages in one profile
 */
export async function startUi({ hasUsedPages, ...options }: UiOptions = {}): Promise<OwnUi> {
  const [server, browser] = await Promise.all([startServer(options), shareBrowser()])
  const settings = (await (await fetch(`${server.url}/api/v1/settings`)).json()) as { id?: string }
  const pool = hasUsedPages === true && !isFull ? new PagePool(browser, server.url) : undefined
  const ui = uiOf(server.url, browser, settings.id ?? '', pool)
  return {
    ...ui,
    server,
    async stop() {
      await ui.stop()
      await server.stop()
    },
  }
}

/** A new workspace on the server and in the Chromium that the files of this worker share. */
export async function openWorkspace(): Promise<Ui> {
  const [server, browser] = await Promise.all([shareServer('ui'), shareBrowser()])
  const ui = uiOf(server.url, browser, server.tenant, inFull(new PagePool(browser, server.url), undefined))
  return {
    ...ui,
    async stop() {
      await ui.stop()
      await server.stop()
    },
  }
}

/** @param pool  pages of earlier tests; without it, each page has a new profile */
function uiOf(url: string, browser: Browser, tenant: string, pool?: PagePool): Ui {
  const contexts = new Set<BrowserContext>()
  return {
    server: { url },
    browser,
    tenant,
    async open(path, { theme = 'light', size = DESKTOP, key } = {}) {
      const look = { viewport: size, colorScheme: theme, reducedMotion: MOTION }
      const pooled = await pool?.take(look)
      const page = pooled?.page ?? (await (await browser.newContext(look)).newPage())
      const context = page.context()
      if (TestRunner.getCurrentTest() === undefined) contexts.add(context)
      // An open page keeps polling the server, which would slow down all later tests of the file.
      else onTestFinished(({ task }) => pooled?.release(task.result?.state !== 'fail') ?? context.close())
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      if (key !== undefined) await (pooled ? page.evaluate(storeKey, key) : context.addInitScript(storeKey, key))
      watchConsole(page)
      await page.goto(url + path)
      return page
    },
    async stop() {
      for (const context of contexts) await context.close()
      await pool?.close()
    },
  }
}

const storeKey = (key: string) => localStorage.setItem('touchstone.api-key', key)

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

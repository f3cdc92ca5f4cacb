import type { Browser, BrowserContext, CDPSession, Page, ViewportSize } from 'playwright-core'

/** Path of a page of the same origin without content, which no server has. */
const EMPTY_PAGE = '/empty-page-of-the-tests'
// A page keeps its process only while the next page has the same policy as the UI.
const EMPTY = { contentType: 'text/html', headers: { 'cross-origin-opener-policy': 'same-origin' }, body: '' }

/** How a page is opened. */
export interface Look {
  readonly viewport: ViewportSize
  readonly colorScheme: 'light' | 'dark'
  readonly reducedMotion: 'reduce' | 'no-preference'
}

/** An empty page of the server in a browser profile of its own, without anything of an earlier test. */
export interface PooledPage {
  readonly page: Page
  /**
   * Ends the use of the page: the next test can have it.
   *
   * @param isKept  false closes its profile instead
   */
  release(isKept: boolean): Promise<void>
}

/**
 * Pages for the tests of one file. A new page in a new profile starts a process that loads and compiles all code of the UI again:
 * a third of the CPU time of opening it. So a test gets the page of an earlier test with the same look, after it has been reset. A
 * page that cannot be reset is closed.
 */
export class PagePool {
  readonly #free = new Map<string, PooledPage[]>()
  readonly #contexts = new Set<BrowserContext>()

  /** @param origin  of a server, without a trailing slash */
  constructor(
    private readonly browser: Browser,
    private readonly origin: string,
  ) {}

  async take(look: Look): Promise<PooledPage> {
    const kind = JSON.stringify(look)
    const free = this.#free.get(kind) ?? []
    this.#free.set(kind, free)
    return free.pop() ?? (await await this.#create(look, free))
  }

  /** Closes the pages that are left. */
  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close()
  }

  async #create(look: Look, free: PooledPage[]): Promise<PooledPage> {
    const context = await this.browser.newContext(look)
    this.#contexts.add(context)
    context.once('close', () => this.#contexts.delete(context))
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await this.#empty(page)
    const isChanged = watchChanges(context, page)
    const pooled: PooledPage = {
      page,
      release: async (isKept) => {
        const isReset = isKept && !isChanged() && (await this.#reset(page, look, session).catch(() => false))
        if (isReset) free.push(pooled)
        else await context.close()
      },
    }
    return pooled
  }

  async #empty(page: Page): Promise<void> {
    const url = this.origin + EMPTY_PAGE
    await page.route(url, (route) => route.fulfill(EMPTY))
    await page.goto(url)
    await page.unroute(url)
  }

  /** @returns whether the page is like a new one */
  async #reset(page: Page, { viewport, colorScheme, reducedMotion }: Look, session: CDPSession) {
    if (page.isClosed()) return false
    const context = page.context()
    for (const other of context.pages()) if (other !== page) await other.close()
    page.removeAllListeners()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    // Otherwise the next page would have a pointer over it.
    await page.mouse.move(-1, -1)
    await this.#empty(page)
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    await context.clearCookies()
    await session.send('Page.resetNavigationHistory')
    await page.emulateMedia({ media: null, colorScheme, reducedMotion, forcedColors: null, contrast: null })
    await page.setViewportSize(viewport)
    return true
  }
}

/** Methods whose effect cannot be taken back. */
const OF_PAGE = ['addInitScript', 'exposeBinding', 'exposeFunction', 'setExtraHTTPHeaders'] as const
const OF_CONTEXT = [...OF_PAGE, 'newCDPSession', 'setOffline', 'clearPermissions', 'on', 'once'] as const

/** @returns tells whether a test has changed what `#reset` does not reset */
function watchChanges(context: BrowserContext, page: Page): () => boolean {
  let isChanged = false
  const watch = <Target extends object>(target: Target, names: readonly (keyof Target)[]) => {
    for (const name of names) {
      const original = target[name] as (...args: unknown[]) => unknown
      target[name] = function (this: Target, ...args: unknown[]) {
        isChanged = true
        return original.apply(this, args)
      } as Target[keyof Target]
    }
  }
  watch(page, OF_PAGE)
  watch(context, OF_CONTEXT)
  return () => isChanged
}

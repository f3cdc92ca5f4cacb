import { writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'

export const SIZES = {
  1440: { width: 1440, height: 900 },
  1024: { width: 1024, height: 768 },
  390: { width: 390, height: 844 },
} as const
export const THEMES = ['light', 'dark'] as const

export interface Look {
  readonly size: keyof typeof SIZES
  /** A key that the browser has signed in with. */
  readonly key?: string | undefined
  /** Pixels of the picture for one of the page. @default 1 */
  readonly scale?: number
}

/** A new browser profile with a window of a size. */
export async function openPage(browser: Browser, { size, key, scale = 1 }: Look): Promise<Page> {
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: 'light',
    deviceScaleFactor: scale,
    reducedMotion: 'reduce',
  })
  if (key !== undefined) {
    await context.addInitScript({ content: `localStorage.setItem('touchstone.api-key', ${JSON.stringify(key)})` })
  }
  return await context.newPage()
}

/** Waits until nothing is loaded any more, nor drawn as a skeleton. */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle').catch(() => undefined)
  const loading = page.locator('[aria-busy=true], .animate-pulse').first()
  await loading.waitFor({ state: 'detached', timeout: 10_000 }).catch(() => undefined)
  await page.evaluate('document.fonts.ready')
  await page.evaluate(TWO_FRAMES)
}

/** Changes the theme of a page that follows the system, and waits until it is drawn. */
export async function show(page: Page, theme: (typeof THEMES)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-theme=${theme}]`).waitFor({ state: 'attached' })
  await page.evaluate(TWO_FRAMES)
}

const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** Writes what the page shows as WebP, a quarter of the size of the same picture as PNG. */
export async function shoot(page: Page, file: string, quality = 25): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
  await session.detach()
  writeFileSync(file, Buffer.from(data, 'base64'))
}

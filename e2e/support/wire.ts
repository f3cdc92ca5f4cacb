import type { Page } from 'playwright-core'

/** What a browser without a cache received for a page. */
export interface Wire {
  readonly requests: number
  /** Heads and bodies as they arrived, hence compressed. */
  readonly bytes: number
  /** Bytes by address, in the order of the requests. */
  readonly answers: ReadonlyMap<string, number>
  /** The same of code that was loaded ahead of its use after the page was drawn; not in the other figures. */
  readonly ahead: ReadonlyMap<string, number>
}

/** Requests and bytes at most of a page without a cache. */
export const WIRE_GOAL = { requests: 20, bytes: 220_000 }

/**
 * Counts what the browser receives while a page is opened, until it has requested nothing for half a second: everything
 * but the code that the page loads ahead of its use once it is drawn.
 *
 * @param open  opens the page and waits for its content
 */
export async function measureWire(page: Page, open: () => Promise<unknown>): Promise<Wire> {
  const network = await page.context().newCDPSession(page)
  const requested = new Map<string, { url: string; atMs: number }>()
  const received = new Map<string, number>()
  network.on('Network.requestWillBeSent', ({ requestId, request: { url }, wallTime }) => {
    if (!/^https?:/.test(url)) return
    requested.set(requestId, { url, atMs: wallTime * 1_000 })
  })
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    received.set(requestId, encodedDataLength)
  })
  await network.send('Network.enable')
  await open()
  await page.waitForLoadState('networkidle')
  await network.detach()

  const drawnMs = await page.evaluate(() => {
    const [mark] = performance.getEntriesByName('first-page-drawn')
    return mark === undefined ? null : performance.timeOrigin + mark.startTime
  })
  const answers = new Map<string, number>()
  const ahead = new Map<string, number>()
  let requests = 0
  for (const [id, { url, atMs }] of requested) {
    const isAhead = drawnMs !== null && atMs >= drawnMs && new URL(url).pathname.startsWith('/assets/')
    const counted = isAhead ? ahead : answers
    counted.set(url, (counted.get(url) ?? 0) + (received.get(id) ?? 0))
    if (!isAhead) requests++
  }
  return { requests, bytes: sumBytes(answers), answers, ahead }
}

export function sumBytes(answers: ReadonlyMap<string, number>): number {
  return [...answers.values()].reduce((sum, each) => sum + each, 0)
}

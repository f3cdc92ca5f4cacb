import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { percentile } from '../../bench/support/figures.ts'

/** One frame at 60 Hz. */
export const FRAME_MS = 16.7

export interface Pace {
  /** Frame time in milliseconds; 95 % of the frames are shorter. */
  frameP95: number
  /** The longest blocked time of the page in ms; 0 if no task took more than 50 ms. */
  longestTask: number
}

/** Smoothness of a page during an action. */
export async function paceWhile(page: Page, act: () => Promise<unknown>): Promise<Pace> {
  await page.evaluate(() => {
    const seen: Watched = { frames: [], longest: 0, isWatched: true }
    Object.assign(window, { seen })
    const tasks = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration)
      if (!seen.isWatched) tasks.disconnect()
    })
    tasks.observe({ type: 'longtask' })
    let last: number | undefined
    requestAnimationFrame(function look(now) {
      if (last !== undefined) seen.frames.push(now - last)
      last = now
      if (seen.isWatched) requestAnimationFrame(look)
    })
  })
  await act()
  const { frames, longest } = await page.evaluate(() => {
    const { seen } = window as unknown as { seen: Watched }
    seen.isWatched = false
    return seen
  })
  return { frameP95: percentile(frames, 0.95), longestTask: longest }
}

/**
 * Milliseconds from a click, a key, typed text or a step Back to the frame after the one that first shows the element
 * of a selector, measured by the page's own clock.
 *
 * @param act performs exactly one of them, without reloading the page
 * @param text that the element must contain
 */
export async function paintedAfter(
  page: Page,
  selector: string,
  act: () => Promise<unknown>,
  text = '',
): Promise<number> {
  await page.evaluate(
    ([wanted, words]) => {
      const isShown = () => [...document.querySelectorAll(wanted)].some((found) => found.textContent.includes(words))
      const painted = new Promise<number>((resolve) => {
        const kinds = ['click', 'keydown', 'input', 'popstate']
        const begin = (event: Event) => {
          for (const kind of kinds) window.removeEventListener(kind, begin, true)
          const began = event.timeStamp
          requestAnimationFrame(function look() {
            if (!isShown()) requestAnimationFrame(look)
            else requestAnimationFrame(() => resolve(performance.now() - began))
          })
        }
        for (const kind of kinds) window.addEventListener(kind, begin, true)
      })
      Object.assign(window, { painted })
    },
    [selector, text] as const,
  )
  await act()
  return page.evaluate(() => (window as unknown as { painted: Promise<number> }).painted)
}

export interface Opened {
  /** Milliseconds from the navigation to the frame that shows it. */
  inAll: number
  /** Milliseconds from the end of the response that it shows. */
  afterAnswer: number
}

/**
 * Reloads an address and waits for the element of a selector.
 *
 * @param answer suffix of the path of the response that the element shows, e.g. that of the run tree
 */
export async function openedIn(page: Page, url: string, selector: string, answer: string): Promise<Opened> {
  await page.addInitScript((wanted) => {
    requestAnimationFrame(function look() {
      if (document.querySelector(wanted) === null) requestAnimationFrame(look)
      else requestAnimationFrame(() => Object.assign(window, { paintedAt: performance.now() }))
    })
  }, selector)
  await page.goto(url)
  const read = (end: string) => {
    const { paintedAt } = window as unknown as { paintedAt?: number }
    const answers = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const shown = answers.find(({ name }) => new URL(name).pathname.endsWith(end))
    return { inAll: paintedAt ?? null, afterAnswer: (paintedAt ?? 0) - (shown?.responseEnd ?? 0) }
  }
  await expect.poll(async () => (await page.evaluate(read, answer)).inAll, { timeout: 60_000 }).not.toBeNull()
  return (await page.evaluate(read, answer)) as Opened
}

interface Watched {
  frames: number[]
  longest: number
  isWatched: boolean
}

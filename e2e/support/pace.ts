import type { Page } from 'playwright-core'
import { percentile } from '../../bench/support/figures.ts'

/** A frame at 60 Hz. */
export const FRAME_MS = 16.7

export interface Pace {
  /** Milliseconds between two frames, of which 95 % are shorter. */
  frameP95: number
  /** The longest time in which the page did not listen, ms; 0 while none was over 50. */
  longestTask: number
}

/** How fluent a page was while something was done. */
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
 * Milliseconds from a click, a key or a step Back to the frame after the one that first shows what a selector names,
 * as the page's own clock has it.
 *
 * @param act does exactly one of them, on a page that does not load anew
 */
export async function paintedAfter(page: Page, selector: string, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate((wanted) => {
    const painted = new Promise<number>((resolve) => {
      const begin = (event: Event) => {
        for (const kind of ['click', 'keydown', 'popstate']) window.removeEventListener(kind, begin, true)
        const began = event.timeStamp
        requestAnimationFrame(function look() {
          if (document.querySelector(wanted) === null) requestAnimationFrame(look)
          else requestAnimationFrame(() => resolve(performance.now() - began))
        })
      }
      for (const kind of ['click', 'keydown', 'popstate']) window.addEventListener(kind, begin, true)
    })
    Object.assign(window, { painted })
  }, selector)
  await act()
  return page.evaluate(() => (window as unknown as { painted: Promise<number> }).painted)
}

interface Watched {
  frames: number[]
  longest: number
  isWatched: boolean
}

import type { Page } from 'playwright-core'
import { isFull } from './scale.ts'

/**
 * Goes to an address of the UI as one of its links does, so that neither the document nor the code of the UI and of axe is loaded
 * again: a third less CPU time of a check. A page that does not show the UI is loaded; in `npm run test:full`, each one is.
 *
 * @returns after the page before is gone
 */
export async function followPath(page: Page, origin: string, path: string): Promise<void> {
  const isFollowed =
    !isFull &&
    (await page.evaluate(async (href) => {
      const { __TSR_ROUTER__: router } = window as { __TSR_ROUTER__?: Router }
      if (router === undefined) return false
      await router.navigate({ href })
      return true
    }, path))
  if (!isFollowed) await page.goto(origin + path)
}

interface Router {
  navigate(to: { href: string }): Promise<void>
}

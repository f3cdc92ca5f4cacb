import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { isFull } from './scale.ts'
import { DESKTOP, type Ui } from './start-ui.ts'

/** A page of the UI outside of a workspace, without the frame of the others. */
const WITHOUT_FRAME = '/setup'

/**
 * Goes to an address of the UI as one of its links does, so that neither the document nor the code of the UI and of axe is loaded
 * again: a third less CPU time of a check. A page that does not show the UI is loaded; in `npm run test:full`, each one is. As when
 * it is loaded, nothing has the focus, and changes that were not saved do not hold it up. Close a dialog of a page before the
 * next address of that page.
 *
 * @returns after the page before is gone
 */
export async function followPath(page: Page, origin: string, path: string): Promise<void> {
  const isFollowed =
    !isFull &&
    (await page.evaluate(async (href) => {
      const { __TSR_ROUTER__: router } = window as { __TSR_ROUTER__?: Router }
      if (router === undefined) return false
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      await router.navigate({ href, ignoreBlocker: true })
      return true
    }, path))
  if (!isFollowed) await page.goto(origin + path)
}

/**
 * Opens addresses for the tests of a file, each of which begins at one of its own, all in one page: see `followPath`. The page
 * starts without storage, and without the components of the test before. After a test that failed, and in `npm run test:full`, each
 * test gets a page of its own.
 */
export async function followPaths(ui: Ui): Promise<(path: string) => Promise<Page>> {
  if (isFull) return (path) => ui.open(path)
  const page = await ui.open(WITHOUT_FRAME)
  let isKept = true
  return async (path) => {
    if (!isKept) return ui.open(path)
    onTestFinished(({ task }) => {
      if (task.result?.state === 'fail') isKept = false
    })
    await followPath(page, ui.server.url, WITHOUT_FRAME)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(DESKTOP)
    await page.mouse.move(-1, -1)
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    await followPath(page, ui.server.url, path)
    return page
  }
}

interface Router {
  navigate(to: { href: string; ignoreBlocker: boolean }): Promise<void>
}

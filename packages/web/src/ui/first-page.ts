import { useEffect } from 'react'
import { createStore, useStore } from '#lib/store.ts'

/** Whether the page that was opened first is drawn and waits for nothing: code that is likely to be used next can load. */
export const drawnPage = createStore(() => false)

/** Whether the page that was opened first has loaded some time ago, for requests that can wait until then. */
export const idlePage = createStore(() => false)

/**
 * Loads code ahead of its use once the first page is drawn, when the browser has nothing else to do. Browsers that save
 * data load it when it is used.
 *
 * @param load  must keep its identity
 */
export function usePreload(load: () => void): void {
  const isDrawn = useStore(drawnPage)
  useEffect(() => {
    if (!isDrawn || isDataScarce()) return
    return whenBrowserIsIdle(load)
  }, [isDrawn, load])
}

/** Safari has no idle callbacks. @returns a function that cancels the call */
export function whenBrowserIsIdle(run: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(run, 200)
    return () => clearTimeout(timer)
  }
  const request = requestIdleCallback(run, { timeout: 2_000 })
  return () => cancelIdleCallback(request)
}

/** Chromium tells what its user wants to spend; other browsers tell nothing. */
interface NetworkInformation {
  saveData?: boolean
  effectiveType?: string
}

function isDataScarce(): boolean {
  const { connection } = navigator as { connection?: NetworkInformation }
  return connection?.saveData === true || /2g/.test(connection?.effectiveType ?? '')
}

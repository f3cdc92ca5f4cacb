import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { drawnPage, idlePage, whenBrowserIsIdle } from '#ui/first-page.ts'

/** A page that has loaded nothing for this time is drawn. */
const DRAWN_AFTER_MS = 200
/** A page that has loaded nothing for this time can request what may wait. */
const IDLE_AFTER_MS = 5_000

/** The mark that browsers show in a recording, and that tests of the first page read. */
const DRAWN_MARK = 'first-page-drawn'

/** Finds out when the page that was opened first is drawn, and when it has loaded some time ago. */
export function useFirstPageWatch(): void {
  const queryClient = useQueryClient()
  const router = useRouter()
  useEffect(() => {
    const source: BusySource = {
      // Data that is read again at intervals does not count: a live list is never quiet.
      isBusy: () =>
        queryClient.isFetching({ predicate: ({ state }) => state.status === 'pending' }) > 0 ||
        router.state.status === 'pending' ||
        document.readyState !== 'complete',
      subscribe: (listener) => queryClient.getQueryCache().subscribe(listener),
    }
    let stopIdle = () => {}
    const stopDrawn = whenQuiet(source, DRAWN_AFTER_MS, () => {
      stopIdle = whenBrowserIsIdle(() => {
        performance.mark(DRAWN_MARK)
        drawnPage.write(true)
      })
    })
    const stopLoaded = whenQuiet(source, IDLE_AFTER_MS, () => idlePage.write(true))
    return () => {
      stopDrawn()
      stopIdle()
      stopLoaded()
    }
  }, [queryClient, router])
}

interface BusySource {
  readonly isBusy: () => boolean
  /** Calls back when it may have become busy or quiet. @returns ends the subscription */
  readonly subscribe: (listener: () => void) => () => void
}

/** Calls back after something has been quiet for the whole of some time. @returns cancels the call */
export function whenQuiet({ isBusy, subscribe }: BusySource, afterMs: number, run: () => void): () => void {
  let wasBusy = true
  let quietSince = 0
  const note = () => {
    const isNowBusy = isBusy()
    if (isNowBusy || wasBusy) quietSince = performance.now()
    wasBusy = isNowBusy
  }
  const look = () => {
    note()
    const leftMs = quietSince + afterMs - performance.now()
    if (wasBusy || leftMs > 0) timer = setTimeout(look, wasBusy ? afterMs : leftMs)
    else {
      unsubscribe()
      run()
    }
  }
  const unsubscribe = subscribe(note)
  note()
  let timer = setTimeout(look, afterMs)
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}

import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { drawnPage, idlePage, whenBrowserIsIdle } from '#ui/first-page.ts'

/** A page that has had no request running for this time is drawn. */
const DRAWN_AFTER_MS = 200
/** After this time a page without a running request has loaded. */
const IDLE_AFTER_MS = 5_000

/** The mark that browsers show in a recording, and that tests of the first page read. */
const DRAWN_MARK = 'first-page-drawn'

/** Finds out when the page that was opened first is drawn, and when it has loaded some time ago. */
export function useFirstPageWatch(): void {
  const queryClient = useQueryClient()
  const router = useRouter()
  useEffect(() => {
    const isBusy = () =>
      queryClient.isFetching() > 0 || router.state.status === 'pending' || document.readyState !== 'complete'
    const stopDrawn = whenQuiet(isBusy, DRAWN_AFTER_MS, () => {
      stopIdle = whenBrowserIsIdle(() => {
        performance.mark(DRAWN_MARK)
        drawnPage.write(true)
      })
    })
    let stopIdle = () => {}
    const stopLoaded = whenQuiet(isBusy, IDLE_AFTER_MS, () => idlePage.write(true))
    return () => {
      stopDrawn()
      stopIdle()
      stopLoaded()
    }
  }, [queryClient, router])
}

/** Calls back once the page is quiet after some time; while it is busy, that time begins again. */
function whenQuiet(isBusy: () => boolean, afterMs: number, run: () => void): () => void {
  const look = () => {
    if (isBusy()) timer = setTimeout(look, afterMs)
    else run()
  }
  let timer = setTimeout(look, afterMs)
  return () => clearTimeout(timer)
}

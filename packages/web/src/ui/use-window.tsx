import { type RefObject, startTransition, useCallback, useEffect, useState } from 'react'

interface Range {
  first: number
  last: number
}

export interface WindowOptions {
  count: number
  rowHeight: number
  /** Px of a sticky header above the rows, inside the scroller. */
  headerHeight: number
  /** Px from the top where the list will begin. @default 0 */
  initialOffset?: number
}

const OVERSCAN = 12

/**
 * Which rows of a list with fixed heights are in view. Renders again only when that changes, not on every scrolled pixel,
 * and never makes the browser lay the page out in between: what is first mounted is guessed from the height of the page.
 *
 * @param scroller  the element that scrolls, mounted as long as the caller is
 */
export function useWindow(
  scroller: RefObject<HTMLElement | null>,
  { count, rowHeight, headerHeight, initialOffset = 0 }: WindowOptions,
) {
  const [range, setRange] = useState<Range>(() => inView(initialOffset, window.innerHeight, rowHeight))
  // Rows beyond the view come after the first paint, which need not wait for them.
  const [overscan, setOverscan] = useState(0)
  useEffect(() => startTransition(() => setOverscan(OVERSCAN)), [])

  const measure = useCallback(() => {
    const box = scroller.current
    if (!box) return
    const next = inView(box.scrollTop, box.clientHeight - headerHeight, rowHeight)
    setRange((range) => (range.first === next.first && range.last === next.last ? range : next))
  }, [scroller, rowHeight, headerHeight])

  useEffect(() => {
    const box = scroller.current
    if (!box) return
    box.addEventListener('scroll', measure, { passive: true })
    // Tells the height at once, and again whenever it changes.
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => {
      box.removeEventListener('scroll', measure)
      observer.disconnect()
    }
  }, [scroller, measure])

  /** Scrolls as little as needed for a row to be whole in view. */
  const reveal = useCallback(
    (index: number) => {
      const box = scroller.current
      if (!box) return
      const top = index * rowHeight
      const lowest = top + rowHeight - (box.clientHeight - headerHeight)
      box.scrollTop = Math.min(Math.max(box.scrollTop, lowest), top)
      measure()
    },
    [scroller, rowHeight, headerHeight, measure],
  )

  // A list that became shorter has its scroller moved only when it is laid out.
  const last = Math.min(range.last, count)
  const first = Math.max(Math.min(range.first, count - (range.last - range.first)), 0)
  return {
    /** First row to mount. */
    from: Math.max(first - overscan, 0),
    /** Row after the last to mount. */
    to: Math.min(last + overscan, count),
    /** Last row in view. */
    last: last - 1,
    reveal,
    /** Looks again at once, after the scroller was moved. */
    measure,
  }
}

function inView(top: number, height: number, rowHeight: number): Range {
  return { first: Math.floor(top / rowHeight), last: Math.ceil((top + height) / rowHeight) }
}

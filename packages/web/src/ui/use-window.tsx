import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react'

interface Range {
  first: number
  last: number
}

const OVERSCAN = 12

/**
 * Which rows of a list with fixed heights are in view. Renders again only when that changes, not on every scrolled pixel.
 *
 * @param scroller      the element that scrolls
 * @param headerHeight  px of a sticky header above the rows, inside the scroller
 */
export function useWindow(
  scroller: RefObject<HTMLElement | null>,
  { count, rowHeight, headerHeight }: { count: number; rowHeight: number; headerHeight: number },
) {
  const [range, setRange] = useState<Range>({ first: 0, last: 40 })

  const measure = useCallback(() => {
    const box = scroller.current
    if (!box) return
    const first = Math.floor(box.scrollTop / rowHeight)
    const last = Math.ceil((box.scrollTop + box.clientHeight - headerHeight) / rowHeight)
    setRange((range) => (range.first === first && range.last === last ? range : { first, last }))
  }, [scroller, rowHeight, headerHeight])

  useLayoutEffect(measure)
  useEffect(() => {
    const box = scroller.current
    if (!box) return
    box.addEventListener('scroll', measure, { passive: true })
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

  return {
    /** First row to mount. */
    from: Math.max(range.first - OVERSCAN, 0),
    /** Row after the last to mount. */
    to: Math.min(range.last + OVERSCAN, count),
    /** Last row in view. */
    last: Math.min(range.last, count) - 1,
    reveal,
  }
}

import { useCallback, useSyncExternalStore } from 'react'

/** Whether a media query matches, e.g. `(max-width: 639px)`. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}

/** Phone widths, where lists become cards. */
export const NARROW = '(max-width: 639px)'
/** Widths without room for a sidebar, where a peek covers its list. */
export const NOT_WIDE = '(max-width: 1023px)'

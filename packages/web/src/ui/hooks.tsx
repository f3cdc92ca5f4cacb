import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Preference } from '#lib/preferences.ts'
import { createStore, type Store, useStore } from '#lib/store.ts'

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
/** Widths that are too small for a sidebar; a peek covers its list. */
export const NOT_WIDE = '(max-width: 1023px)'

/** How many messages on the page tell that the server is away. */
export const connectionNotices = createStore(() => 0)

/** Counts a message that the server is away, while it is shown. The general banner is left out then. */
export function useConnectionNotice(isShown: boolean): void {
  useEffect(() => {
    if (!isShown) return
    connectionNotices.write(connectionNotices.read() + 1)
    return () => connectionNotices.write(connectionNotices.read() - 1)
  }, [isShown])
}

/** The width of an element in whole pixels, kept up to date. */
export function useElementWidth<Element extends HTMLElement>(): [RefObject<Element | null>, number] {
  const ref = useRef<Element>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    setWidth(Math.floor(element.clientWidth))
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}

interface PagedQuery {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly isFetchNextPageError: boolean
  readonly fetchNextPage: () => Promise<unknown>
}

/** Loads the pages of a list one after the other until all are there. */
export function useAllPages<Query extends PagedQuery>(query: Query): Query {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  return query
}

const clocks = new Map<number, Store<number>>()

/** The current time in epoch ms, updated every `everyMs`. Components with the same interval share one timer. */
export function useNow(everyMs: number): number {
  return useStore(getClock(everyMs))
}

function getClock(everyMs: number): Store<number> {
  const clock = clocks.get(everyMs) ?? createClock(everyMs)
  clocks.set(everyMs, clock)
  return clock
}

function createClock(everyMs: number): Store<number> {
  return createStore(
    () => Date.now(),
    (clock) => {
      const timer = setInterval(() => clock.write(Date.now()), everyMs)
      return () => {
        clearInterval(timer)
        clocks.delete(everyMs)
      }
    },
  )
}

/** Turns true after `value` has been true for `delayMs`; turns false at once. */
export function useDelayedFlag(value: boolean, delayMs: number): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    if (!value) {
      setLate(false)
      return
    }
    const timer = setTimeout(() => setLate(true), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return value && late
}

/** The current choice and its setter. All components that show the same preference update together. */
export function usePreference<Value>(preference: Preference<Value>): [Value, (value: Value) => void] {
  return [useStore(preference), preference.write]
}

/** The theme on screen, for canvases that are redrawn when it changes. */
export function useTheme(): string {
  return useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme ?? 'light')
}

function subscribe(listener: () => void) {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}

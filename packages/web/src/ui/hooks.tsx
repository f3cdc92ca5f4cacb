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

interface Draft<Value> {
  /** The saved value with the edits applied. */
  value: Value
  /** Fields whose edit differs from the saved value. */
  changed: readonly (keyof Value & string)[]
  set: (edits: Partial<Value>) => void
  discard: () => void
}

/** Edits of a form, kept apart from the saved value: unedited fields follow changes of the saved value. */
export function useDraft<Value extends object>(saved: Value): Draft<Value> {
  const [edits, setEdits] = useState<Partial<Value>>({})
  const fields = Object.keys(edits) as (keyof Value & string)[]
  return {
    value: { ...saved, ...edits },
    changed: fields.filter((field) => JSON.stringify(edits[field]) !== JSON.stringify(saved[field])),
    set: (more) => setEdits((before) => ({ ...before, ...more })),
    discard: () => setEdits({}),
  }
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

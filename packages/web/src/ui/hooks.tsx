import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { isSameJson, pickFields } from '#lib/changes.ts'
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

type Field<Value> = keyof Value & string

export interface Draft<Value> {
  /** The saved value with the edits applied. */
  value: Value
  /** Fields whose edit differs from the saved value. */
  changed: readonly Field<Value>[]
  /** The saved value as it was when the edited fields were first edited. */
  base: Value
  /** Changed fields whose saved value was changed elsewhere since they were first edited. */
  overtaken: readonly Field<Value>[]
  set: (edits: Partial<Value>) => void
  discard: () => void
  /** Ends the edits that a save has stored; what was typed since then stays. */
  settle: (stored: Value) => void
  /** Discards the edits of some fields. */
  follow: (fields: readonly Field<Value>[]) => void
  /** Keeps the edits although the saved value was changed elsewhere. */
  keep: () => void
}

/**
 * Edits of a form, kept apart from the saved value: unedited fields follow changes of the saved value. A field that is
 * set back to the saved value is no longer edited.
 */
export function useDraft<Value extends object>(saved: Value): Draft<Value> {
  const [{ edits, bases }, setState] = useState<{ edits: Partial<Value>; bases: Partial<Value> }>(NO_EDITS)
  const changed = fieldsOf(edits).filter((field) => !isSameJson(edits[field], saved[field]))
  return {
    value: { ...saved, ...edits },
    changed,
    base: { ...saved, ...bases },
    overtaken: changed.filter((field) => !isSameJson(bases[field], saved[field])),
    set: (more) =>
      setState((before) => {
        const next = { edits: { ...before.edits }, bases: { ...before.bases } }
        for (const field of Object.keys(more) as Field<Value>[]) {
          if (isSameJson(more[field], saved[field])) {
            delete next.edits[field]
            delete next.bases[field]
          } else {
            next.edits[field] = more[field]
            if (!(field in before.bases)) next.bases[field] = saved[field]
          }
        }
        return next
      }),
    discard: () => setState(NO_EDITS),
    settle: (stored) =>
      setState((before) => {
        const done = fieldsOf(before.edits).filter((field) => isSameJson(before.edits[field], stored[field]))
        const edits = omitFields(before.edits, done)
        return { edits, bases: pickFields(stored, fieldsOf(edits)) }
      }),
    follow: (some) =>
      setState((before) => ({ edits: omitFields(before.edits, some), bases: omitFields(before.bases, some) })),
    keep: () => setState((before) => ({ ...before, bases: pickFields(saved, Object.keys(before.edits)) })),
  }
}

const NO_EDITS = { edits: {}, bases: {} }
const fieldsOf = <Value extends object>(edits: Partial<Value>) => Object.keys(edits) as Field<Value>[]

function omitFields<Value extends object>(from: Partial<Value>, fields: readonly string[]): Partial<Value> {
  return pickFields(
    from,
    Object.keys(from).filter((field) => !fields.includes(field)),
  )
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

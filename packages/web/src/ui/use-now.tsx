import { useCallback, useSyncExternalStore } from 'react'

interface Clock {
  now: number
  listeners: Set<() => void>
  timer: ReturnType<typeof setInterval> | undefined
}

const clocks = new Map<number, Clock>()

/** The time, moving on every `everyMs`; one timer serves all who ask for the same beat. */
export function useNow(everyMs: number): number {
  const subscribe = useCallback(
    (listener: () => void) => {
      const clock = clockOf(everyMs)
      clock.listeners.add(listener)
      clock.timer ??= setInterval(() => {
        clock.now = Date.now()
        for (const each of clock.listeners) each()
      }, everyMs)
      return () => {
        clock.listeners.delete(listener)
        if (clock.listeners.size > 0) return
        clearInterval(clock.timer)
        clocks.delete(everyMs)
      }
    },
    [everyMs],
  )
  return useSyncExternalStore(subscribe, () => clockOf(everyMs).now)
}

function clockOf(everyMs: number): Clock {
  const clock = clocks.get(everyMs) ?? { now: Date.now(), listeners: new Set(), timer: undefined }
  clocks.set(everyMs, clock)
  return clock
}

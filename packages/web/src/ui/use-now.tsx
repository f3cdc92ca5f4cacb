import { createStore, type Store, useStore } from '#lib/store.ts'

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

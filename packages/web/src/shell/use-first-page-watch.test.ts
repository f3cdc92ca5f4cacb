import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createStore } from '#lib/store.ts'
import { whenQuiet } from './use-first-page-watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function watch(afterMs: number) {
  const busy = createStore(() => true)
  const run = vi.fn()
  const stop = whenQuiet({ isBusy: busy.read, subscribe: busy.subscribe }, afterMs, run)
  return { busy, run, stop }
}

it('calls back after a page has been quiet for the whole time, not when it was last seen busy', () => {
  const { busy, run } = watch(5_000)
  vi.advanceTimersByTime(4_900)
  busy.write(false)
  vi.advanceTimersByTime(4_900)
  expect(run).not.toHaveBeenCalled()
  vi.advanceTimersByTime(100)
  expect(run).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(60_000)
  expect(run).toHaveBeenCalledOnce()
})

it('begins again when the page loads something between two looks', () => {
  const { busy, run } = watch(200)
  busy.write(false)
  vi.advanceTimersByTime(150)
  busy.write(true)
  vi.advanceTimersByTime(10)
  busy.write(false)
  vi.advanceTimersByTime(190)
  expect(run).not.toHaveBeenCalled()
  vi.advanceTimersByTime(10)
  expect(run).toHaveBeenCalledOnce()
})

it('does not call back after it was stopped', () => {
  const { busy, run, stop } = watch(200)
  busy.write(false)
  stop()
  vi.advanceTimersByTime(1_000)
  expect(run).not.toHaveBeenCalled()
})

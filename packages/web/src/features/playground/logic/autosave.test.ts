import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Autosaver, MAX_WAIT_MS, RETRY_AFTER_MS, SAVE_AFTER_MS, type SaveOutcome } from './autosave.ts'

let text = ''
let saved: string[]
let finish: ((outcome: SaveOutcome) => void)[]
let saver: Autosaver

beforeEach(() => {
  vi.useFakeTimers()
  saved = []
  finish = []
  saver = new Autosaver(() => {
    saved.push(text)
    return new Promise((resolve) => finish.push(resolve))
  })
})
afterEach(() => vi.useRealTimers())

function type(next: string) {
  text = next
  saver.change()
}

async function end(outcome: SaveOutcome) {
  finish.shift()?.(outcome)
  await vi.advanceTimersByTimeAsync(0)
}

it('saves after a pause, the last text only', async () => {
  type('a')
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS - 1)
  type('ab')
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS - 1)
  expect(saved).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(saved).toEqual(['ab'])
  await end('saved')
  expect(saver.isDirty).toBe(false)
})

it('saves while changes never pause, as an answer that arrives', async () => {
  for (let at = 0; at <= MAX_WAIT_MS; at += 100) {
    type(String(at))
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(saved).toHaveLength(1)
})

it('tries again after a failure, and after a refusal only with a change', async () => {
  type('a')
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS)
  await end('failed')
  expect(saver.isDirty).toBe(true)
  await vi.advanceTimersByTimeAsync(RETRY_AFTER_MS)
  expect(saved).toEqual(['a', 'a'])
  await end('refused')
  await vi.advanceTimersByTimeAsync(10 * RETRY_AFTER_MS)
  expect(saved).toHaveLength(2)
  type('b')
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS)
  expect(saved.at(-1)).toBe('b')
})

it('waits after a conflict until it may overwrite', async () => {
  type('a')
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS)
  type('b')
  await end('conflict')
  type('c')
  await vi.advanceTimersByTimeAsync(10 * MAX_WAIT_MS)
  expect(saved).toEqual(['a'])
  void saver.resume()
  await vi.advanceTimersByTimeAsync(0)
  expect(saved).toEqual(['a', 'c'])
})

it('saves what changed during a save when the page is left, one after the other', async () => {
  type('a')
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS)
  type('b')
  void saver.flush()
  void saver.close()
  await vi.advanceTimersByTimeAsync(0)
  expect(saved).toEqual(['a'])
  await end('saved')
  expect(saved).toEqual(['a', 'b'])
  await end('saved')
  await vi.advanceTimersByTimeAsync(10 * RETRY_AFTER_MS)
  expect(saved).toHaveLength(2)
})

it('saves nothing when nothing changed', async () => {
  await saver.close()
  expect(saved).toEqual([])
})

it('knows whether a change waits for a save that has not begun', async () => {
  expect(saver.hasUnsent).toBe(false)
  type('a')
  expect(saver.hasUnsent).toBe(true)
  void saver.flush()
  expect([saver.hasUnsent, saver.isDirty]).toEqual([false, true])
  type('b')
  expect(saver.hasUnsent).toBe(true)
  await end('saved')
  await vi.advanceTimersByTimeAsync(SAVE_AFTER_MS)
  expect([saver.hasUnsent, saver.isDirty]).toEqual([false, true])
  await end('failed')
  expect(saver.hasUnsent).toBe(true)
})

it('saves nothing that was given up', async () => {
  type('a')
  saver.discard()
  await saver.close()
  await vi.advanceTimersByTimeAsync(10 * MAX_WAIT_MS)
  expect(saved).toEqual([])
})

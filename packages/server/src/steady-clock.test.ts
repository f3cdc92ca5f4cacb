import { expect, it } from 'vitest'
import { createJumpWatch, createSteadyClock } from './steady-clock.ts'

it('goes on from its last time when the clock is set back, and forward with the clock', () => {
  let now = 10_000_000
  const steady = createSteadyClock(() => now)
  expect(steady()).toBe(10_000_000)
  now += 500
  expect(steady()).toBe(10_000_500)
  now -= 3_600_000
  expect(steady()).toBe(10_000_500)
  now += 700
  expect(steady()).toBe(10_001_200)
  now -= 3_600_000
  expect(steady()).toBe(10_001_200)
  now += 7_200_000
  expect(steady()).toBe(17_201_200)
})

it('is watched: a jump in either direction counts for an hour, and time that passes does not', () => {
  let [now, elapsed] = [10_000_000, 0]
  const pass = (ms: number) => {
    now += ms
    elapsed += ms
  }
  const hasJumped = createJumpWatch(
    () => now,
    () => elapsed,
  )
  expect(hasJumped()).toBe(false)
  pass(7_200_000)
  expect(hasJumped()).toBe(false)
  now += 3_600_000
  expect(hasJumped()).toBe(true)
  pass(3_500_000)
  expect(hasJumped()).toBe(true)
  pass(200_000)
  expect(hasJumped()).toBe(false)
  now -= 3_600_000
  expect(hasJumped()).toBe(true)
  pass(3_700_000)
  now += 30_000
  expect(hasJumped()).toBe(false)
})

import { describe, expect, it } from 'vitest'
import { GuessLimits } from './guess-limits.ts'

function aClock() {
  let now = 0
  return { clock: () => now, advance: (ms: number) => (now += ms) }
}

const tryTo = (limits: GuessLimits, ...keys: [string, number][]) => {
  try {
    return limits.reserve(keys, 'Too many.')
  } catch {
    return undefined
  }
}

describe('limits of guesses', () => {
  it('count a guess before it is checked', () => {
    const limits = new GuessLimits(aClock().clock)
    const pending = Array.from({ length: 120 }, () => tryTo(limits, ['a', 10]))
    expect(pending.filter((guess) => guess !== undefined)).toHaveLength(10)
  })

  it('count under all keys or under none', () => {
    const limits = new GuessLimits(aClock().clock)
    tryTo(limits, ['full', 1])
    expect(tryTo(limits, ['other', 5], ['full', 1])).toBeUndefined()
    expect(limits.count('other')).toBe(0)
  })

  it('do not count a correct guess, and delete the wrong ones under its first key', () => {
    const limits = new GuessLimits(aClock().clock)
    for (let mistake = 0; mistake < 9; mistake++) tryTo(limits, ['pair', 10], ['address', 50])
    tryTo(limits, ['pair', 10], ['address', 50])!.wasRight()
    expect([limits.count('pair'), limits.count('address')]).toEqual([0, 9])
  })

  it('end with their window, and report the time', () => {
    const { clock, advance } = aClock()
    const limits = new GuessLimits(clock)
    tryTo(limits, ['a', 1])
    advance(60_000)
    expect(() => limits.reserve([['a', 1]], 'Too many.')).toThrow(expect.objectContaining({ retryAfterSeconds: 840 }))
    advance(840_000)
    expect(tryTo(limits, ['a', 1])).toBeDefined()
  })

  it('end no later when the clock is set back', () => {
    const { clock, advance } = aClock()
    const limits = new GuessLimits(clock)
    tryTo(limits, ['a', 1])
    advance(-3_600_000)
    expect(() => limits.reserve([['a', 1]], 'Too many.')).toThrow(expect.objectContaining({ retryAfterSeconds: 900 }))
    advance(900_000)
    expect(tryTo(limits, ['a', 1])).toBeDefined()
  })

  it('keep the newest keys when their memory is full', () => {
    const { clock, advance } = aClock()
    const limits = new GuessLimits(clock)
    for (let at = 0; at < 50_000; at++) tryTo(limits, [`key ${at}`, 1])
    advance(1)
    tryTo(limits, ['newest', 1])
    for (let at = 0; at < 20_000; at++) tryTo(limits, [`flood ${at}`, 1])
    expect(limits.count('newest')).toBe(1)
    expect(limits.count('key 0')).toBe(0)
    expect(limits.count('key 49999')).toBe(1)
  })
})

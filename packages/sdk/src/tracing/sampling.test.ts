import { describe, expect, it } from 'vitest'
import { isSampled } from './sampling.ts'

describe('sampling', () => {
  it('decides as the public clients do, ignoring case', () => {
    // 0.159947 of the range.
    const id = '01234567-89ab-7def-8123-456789abcdef'
    expect([0.159947, 0.159948].map((rate) => isSampled(id, rate))).toEqual([false, true])
    expect(isSampled(id.toUpperCase(), 0.159948)).toBe(true)
  })

  it('keeps everything at 1 and nothing at 0', () => {
    const ids = Array.from({ length: 100 }, () => crypto.randomUUID())
    expect(ids.every((id) => isSampled(id, 1) && isSampled(id, undefined) && !isSampled(id, 0))).toBe(true)
  })

  it('keeps about the share that was asked for', () => {
    const kept = Array.from({ length: 10_000 }, () => isSampled(crypto.randomUUID(), 0.3)).filter(Boolean).length
    expect(kept).toBeGreaterThan(2_700)
    expect(kept).toBeLessThan(3_300)
  })
})

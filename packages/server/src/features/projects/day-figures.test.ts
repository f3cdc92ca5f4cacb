import { describe, expect, it } from 'vitest'
import { createRandom } from '../../testing/invent-runs.ts'
import { findQuantile } from './day-figures.ts'

const random = createRandom(1)

describe('a quantile of sorted lists', () => {
  it('is the value at its index among all values, for random lists', () => {
    for (let round = 0; round < 500; round++) {
      const width = 10 ** (round % 8)
      const lists = Array.from({ length: round % 7 }, () =>
        Float64Array.from({ length: Math.floor(random() * 20) }, () => Math.floor((random() - 0.2) * width)).sort(),
      )
      const all = lists.flatMap((list) => [...list]).sort((a, b) => a - b)
      for (const share of [0, 0.5, 0.99]) expect(findQuantile(lists, share)).toBe(all[Math.floor(share * all.length)])
    }
  })

  it('is undefined without values', () => {
    expect(findQuantile([], 0.5)).toBeUndefined()
    expect(findQuantile([new Float64Array()], 0.5)).toBeUndefined()
  })
})

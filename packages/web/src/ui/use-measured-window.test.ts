import { describe, expect, it } from 'vitest'
import { HeightMap } from './use-measured-window.tsx'

describe('heights of blocks', () => {
  it('are guessed, then measured, and summed either way', () => {
    const map = new HeightMap(100)
    map.resize(5)
    expect([map.total, map.getTop(3), map.at(250)]).toEqual([500, 300, 2])
    expect(map.set(1, 40)).toBe(-60)
    expect([map.total, map.getTop(3), map.at(139), map.at(140)]).toEqual([440, 240, 1, 2])
  })

  it('keep what was measured while the list grows', () => {
    const map = new HeightMap(10)
    map.resize(2)
    map.set(0, 30)
    map.resize(4)
    expect([map.total, map.getTop(1)]).toEqual([60, 30])
  })

  it('find the first and the last block for offsets beyond the ends', () => {
    const map = new HeightMap(10)
    map.resize(3)
    expect([map.at(-5), map.at(0), map.at(9_999)]).toEqual([0, 0, 2])
    expect(new HeightMap(10).at(5)).toBe(0)
  })

  it('equal the plain sums', () => {
    const map = new HeightMap(50)
    map.resize(300)
    const plain = Array.from({ length: 300 }, () => 50)
    for (let step = 0; step < 500; step++) {
      const [at, height] = [(step * 73) % 300, 20 + ((step * 37) % 200)]
      map.set(at, height)
      plain[at] = height
      const probe = (step * 131) % 300
      const top = plain.slice(0, probe).reduce((sum, one) => sum + one, 0)
      expect(map.getTop(probe)).toBe(top)
      expect(map.at(top)).toBe(probe)
    }
  })
})

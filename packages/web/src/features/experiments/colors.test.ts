import { describe, expect, it } from 'vitest'
import { SERIES_COLORS } from '#lib/series-colors.ts'
import { assignColors } from './colors.ts'

const ids = Array.from({ length: 20 }, (_, at) => `experiment ${at}`)

describe('colors of experiments', () => {
  it('are the same wherever an experiment comes first', () => {
    for (const id of ids) expect(assignColors([id, 'other']).get(id)).toBe(assignColors([id]).get(id))
  })

  it('differ for up to eight experiments, then repeat', () => {
    expect(new Set(assignColors(ids.slice(0, 8)).values()).size).toBe(8)
    expect(assignColors(ids).size).toBe(20)
    expect([...assignColors(ids).values()].every((color) => SERIES_COLORS.includes(color))).toBe(true)
  })
})

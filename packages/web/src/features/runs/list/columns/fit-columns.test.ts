import { describe, expect, it } from 'vitest'
import { DEFAULT_COLUMNS } from '#lib/run-columns.ts'
import { fitColumns, fitWidths, getFigureWidth, getWidthLimit } from './fit-columns.ts'

const widths: Record<string, number> = { name: 120, input: 100, output: 100, start: 100 }
const fit = (available: number, ids: readonly string[] = DEFAULT_COLUMNS) =>
  fitColumns(ids, (id) => widths[id] ?? 80, available)

describe('the columns that fit', () => {
  it.each([
    [2_000, [...DEFAULT_COLUMNS]],
    [739, ['name', 'input', 'output', 'start', 'latency', 'tokens', 'cost']],
    [560, ['name', 'output', 'start', 'latency', 'tokens', 'cost']],
    [400, ['name', 'output', 'latency', 'cost']],
    [300, ['name', 'output', 'latency']],
    [50, ['name', 'output', 'latency']],
  ])('in %i px are kept in their order', (available, ids) => {
    expect(fit(available)).toEqual(ids)
  })

  it('leave a wide column out and keep a narrower one after it', () => {
    expect(fit(400, ['name', 'output', 'start', 'latency', 'tags'])).toEqual(['name', 'output', 'start', 'latency'])
    expect(fit(390, ['name', 'output', 'start', 'latency', 'tags'])).toEqual(['name', 'output', 'latency', 'tags'])
  })

  it('are chosen columns in their order', () => {
    expect(fit(290, ['name', 'tags', 'model', 'thread'])).toEqual(['name', 'tags', 'model'])
  })
})

describe('the chosen widths that fit', () => {
  const minWidths = new Map([
    ['name', 120],
    ['input', 100],
    ['output', 100],
  ])
  const fitChosen = (chosen: Record<string, number>, available: number, firstId?: string) =>
    Object.fromEntries(fitWidths(minWidths, chosen, available, firstId))

  it.each([
    ['are all of them in a wide list', { name: 200, output: 300 }, 600, { name: 200, output: 300 }],
    ['leave out only those that do not fit', { name: 200, input: 120, output: 300 }, 420, { name: 200, input: 120 }],
    ['use the space that a narrower column leaves', { name: 200, output: 60 }, 360, { name: 200, output: 60 }],
    ['include a narrower column where nothing fits', { name: 200, output: 60 }, 100, { output: 60 }],
    ['do not include columns that are not shown', { cost: 90 }, 1_000, {}],
  ])('%s', (_, chosen, available, fitting) => {
    expect(fitChosen(chosen, available)).toEqual(fitting)
  })

  it('start with the width that was set last', () => {
    expect(fitChosen({ name: 200, output: 180 }, 400)).toEqual({ name: 200 })
    expect(fitChosen({ name: 200, output: 180 }, 400, 'output')).toEqual({ output: 180 })
  })

  it('include a width that was set up to its limit', () => {
    const limit = getWidthLimit('output', minWidths, new Map([['name', 150]]), 400)
    expect(limit).toBe(150)
    expect(fitChosen({ name: 150, output: limit }, 400, 'output')).toEqual({ name: 150, output: limit })
  })

  it('have the minimum of the column as their limit where nothing is left', () => {
    expect(getWidthLimit('output', minWidths, new Map(), 200)).toBe(100)
  })
})

describe('the width of a column of figures', () => {
  it('shows the longest text in full', () => {
    expect(getFigureWidth(['$0.04', '$0.00000042'], 76)).toBe(98)
  })

  it('has a minimum', () => {
    expect(getFigureWidth(['-'], 76)).toBe(76)
    expect(getFigureWidth([], 76)).toBe(76)
  })
})

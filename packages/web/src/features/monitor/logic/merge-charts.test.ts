import type { DashboardChart } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { mergeCharts } from './merge-charts.ts'

const chart = (id: string, title: string | null = null) =>
  ({ id, title, metric: 'latency', scope: 'traces', kind: 'line', size: 'small' }) as DashboardChart
const [a, b, c, d] = [chart('a'), chart('b'), chart('c'), chart('d')]
const base = [a, b]
const print = ({ charts }: { charts: readonly DashboardChart[] }) =>
  charts.map(({ id, title }) => (title ? `${id} ${title}` : id)).join(', ')

describe('two changes of one dashboard', () => {
  it.each([
    ['other charts are edited', [chart('a', 'mine'), b], [a, chart('b', 'theirs')], 'a mine, b theirs'],
    ['one is added on each side', [a, b, c], [a, b, d], 'a, b, c, d'],
    ['one is removed on each side', [b], [a], ''],
    ['the same one is removed', [b], [b], 'b'],
    ['one is moved here and another one is added elsewhere', [b, a], [a, b, d], 'b, a, d'],
    ['one is added here and another one is moved elsewhere', [a, b, c], [b, a], 'b, a, c'],
    ['both are moved', [b, a], [b, a], 'b, a'],
    ['one is edited alike', [chart('a', 'same'), b], [chart('a', 'same'), b], 'a same, b'],
  ])('are put together when %s', (_what, mine, theirs, expected) => {
    const merged = mergeCharts({ base, mine, theirs }, 'mine')
    expect(merged.conflicts).toEqual([])
    expect(print(merged)).toBe(expected)
  })

  it('do not meet in a chart whose fields come in another order', () => {
    const { id, title: _, ...rest } = a
    const sides = { base, mine: [chart('a', 'mine'), b], theirs: [{ ...rest, id } as DashboardChart, b] }
    const merged = mergeCharts(sides, 'theirs')
    expect(merged.conflicts).toEqual([])
    expect(print(merged)).toBe('a mine, b')
  })

  it('meet in a chart that both have changed', () => {
    const sides = { base, mine: [chart('a', 'mine'), b], theirs: [chart('a', 'theirs'), b, d] }
    expect(mergeCharts(sides, 'mine').conflicts).toEqual([
      { id: 'a', mine: chart('a', 'mine'), theirs: chart('a', 'theirs') },
    ])
    expect(print(mergeCharts(sides, 'mine'))).toBe('a mine, b, d')
    expect(print(mergeCharts(sides, 'theirs'))).toBe('a theirs, b, d')
  })

  it('meet in a chart that one has removed and the other has edited', () => {
    const sides = { base, mine: [b], theirs: [chart('a', 'theirs'), b] }
    expect(mergeCharts(sides, 'mine').conflicts).toEqual([{ id: 'a', mine: undefined, theirs: chart('a', 'theirs') }])
    expect(print(mergeCharts(sides, 'mine'))).toBe('b')
    expect(print(mergeCharts(sides, 'theirs'))).toBe('a theirs, b')
  })
})

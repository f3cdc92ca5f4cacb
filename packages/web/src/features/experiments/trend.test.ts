import { describe, expect, it } from 'vitest'
import { anExperiment } from './testing/an-experiment.ts'
import { buildTrend, chooseTrendMetrics, listTrendMetrics } from './trend.ts'

const score = (avg: number) => ({ correct: { avg, n: 100, stdev: 0.1 } })
const rows = [
  anExperiment({ name: 'b', day: 2, scores: score(0.8), metadata: { k: 10, model: 'x' } }),
  anExperiment({ name: 'a', day: 1, scores: score(0.6), metadata: { k: 2, model: 'y' } }),
  anExperiment({ name: 'c', day: 9, metadata: { k: 4, model: 'x' } }),
]
const options = { x: 'time', baselineId: 'id of a' }
const order = (trend: ReturnType<typeof buildTrend>) => trend.points.map(({ name }) => name)

describe('the trend of a feedback key', () => {
  const trend = buildTrend(rows, 'feedback:correct', options)

  it('has a point with its interval for each experiment with scores, in order of their start', () => {
    expect(order(trend)).toEqual(['a', 'b'])
    expect(trend.missingCount).toBe(1)
    expect(trend.points[1]?.description).toBe('b, 0.80, 95 % interval 0.78 to 0.82, Mar 2')
    const [low = 0, high = 0] = trend.points[0]?.interval ?? []
    expect(low).toBeLessThan(trend.points[0]?.y ?? 0)
    expect(high).toBeGreaterThan(trend.points[0]?.y ?? 0)
  })

  it('shows the baseline as a line at its value', () => {
    expect(trend.baselineY).toBe(trend.points[0]?.y)
    expect(buildTrend(rows, 'feedback:correct', { ...options, baselineId: 'id of c' }).baselineY).toBeUndefined()
  })

  it('stays inside the plot', () => {
    const ends = trend.points.flatMap(({ x, y, interval }) => [x, y, ...(interval ?? [])])
    expect(ends.every((share) => share >= 0 && share <= 1)).toBe(true)
    expect(trend.yTicks.every(({ y }) => y >= 0 && y <= 1)).toBe(true)
  })
})

describe('the axis', () => {
  it('places numbers of a metadata key at their distance', () => {
    const trend = buildTrend(rows, 'latency', { ...options, x: 'k' })
    expect(order(trend)).toEqual(['a', 'c', 'b'])
    expect(trend.points.map(({ x }) => x)).toEqual([0.06, 0.28, 0.94].map((x) => expect.closeTo(x)))
    expect(trend.xTicks.map(({ label }) => label)).toEqual(['2', '10'])
  })

  it('places texts side by side; equal ones do not cover each other', () => {
    const trend = buildTrend(rows, 'latency', { ...options, x: 'model' })
    expect(order(trend)).toEqual(['b', 'c', 'a'])
    expect(new Set(trend.points.map(({ x }) => x)).size).toBe(3)
    expect(trend.xTicks.map(({ label }) => label)).toEqual(['x', 'y'])
  })

  it('works with one experiment, with equal values and with none', () => {
    const [first] = rows
    const one = buildTrend(first ? [first] : [], 'latency', options)
    expect(one.points[0]).toMatchObject({ x: 0.5 })
    expect(Number.isFinite(one.points[0]?.y)).toBe(true)
    expect(buildTrend([], 'latency', options)).toMatchObject({ points: [], yTicks: [] })
  })
})

describe('the metrics of the charts', () => {
  it('are feedback keys, latency and cost unless the URL names others', () => {
    expect(chooseTrendMetrics(rows, undefined)).toEqual(['feedback:correct', 'latency', 'cost'])
    expect(chooseTrendMetrics(rows, 'tokens,nonsense')).toEqual(['tokens'])
    expect(chooseTrendMetrics(rows, 'nonsense')).toEqual(['feedback:correct', 'latency', 'cost'])
    expect(listTrendMetrics(rows)).toEqual(['feedback:correct', 'latency', 'tokens', 'cost', 'errors'])
  })
})

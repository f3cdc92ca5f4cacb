import { describe, expect, it } from 'vitest'
import { defaultCharts, getMetric, moveChart, putChart, removeChart } from './metrics.ts'

const charts = defaultCharts([], 'traces').slice(0, 4)
const ids = (of: readonly { id: string }[]) => of.map(({ id }) => id).join(' ')

describe('the charts of a dashboard', () => {
  it.each([
    ['latency', 0, 'latency runs error_rate tokens'],
    ['runs', 2, 'latency error_rate runs tokens'],
    ['runs', 99, 'latency error_rate tokens runs'],
    ['tokens', -1, 'tokens runs latency error_rate'],
    ['no id', 0, 'runs latency error_rate tokens'],
  ])('%s moves to %d', (id, to, expected) => {
    expect(ids(moveChart(charts, id, to))).toBe(expected)
  })

  it('are replaced by id, or added at the end, or removed', () => {
    expect(putChart(charts, { ...charts[1]!, title: 'Slow' })[1]!.title).toBe('Slow')
    expect(ids(putChart(charts, { ...charts[0]!, id: 'new' }))).toBe('runs latency error_rate tokens new')
    expect(ids(removeChart(charts, 'latency'))).toBe('runs error_rate tokens')
  })
})

it.each(['latency', 'first_token'] as const)('the lines of %s differ by more than their color', (metric) => {
  const dashes = getMetric({ metric }).measures.map(({ id, dash = [] }) => [id, dash.join()])
  expect(dashes.filter(([, dash]) => dash !== '')).toEqual([['p99', '2,3']])
})

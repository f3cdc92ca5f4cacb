import { describe, expect, it } from 'vitest'
import { computeDelta, findPartialBuckets, getCaption, listGroupTotals } from './figures.ts'
import { getMetric } from './metrics.ts'
import { figures, series } from './testing/some-series.ts'

const change = (metric: 'runs' | 'error_rate' | 'latency' | 'cost', now: object, before: object) =>
  computeDelta(getMetric({ metric }), figures(100, 0, now), figures(100, 0, before))

describe('the change of a figure', () => {
  it('of volume and cost is neither good nor bad', () => {
    expect(change('runs', { run_count: 112 }, {})).toMatchObject({ text: '12 %', direction: 'up', tone: 'neutral' })
    expect(change('cost', { total_cost: 1 }, { total_cost: 2 })).toMatchObject({ direction: 'down', tone: 'neutral' })
  })

  it('of latency is bad when it grows and good when it falls', () => {
    expect(change('latency', { latency_p95: 3 }, {})).toMatchObject({ text: '50 %', tone: 'bad' })
    expect(change('latency', { latency_p95: 1.9 }, {})).toEqual({
      text: '5 %',
      direction: 'down',
      tone: 'good',
      title: '2.00 s in the previous period',
    })
  })

  it('of a share is in percentage points, also from zero', () => {
    expect(change('error_rate', { error_count: 4 }, { error_count: 2 })).toMatchObject({
      text: '2 pp',
      tone: 'bad',
    })
    expect(change('error_rate', { error_count: 1 }, {})).toMatchObject({ text: '1 pp', direction: 'up' })
  })

  it.each([
    ['unknown now', { total_cost: null }, { total_cost: 1 }],
    ['unknown before', { total_cost: 1 }, { total_cost: null }],
    ['zero before', { total_cost: 1 }, { total_cost: 0 }],
  ])('is not stated when a figure is %s', (_, now, before) => {
    expect(change('cost', now, before)).toBeUndefined()
  })

  it('is a factor when it is large, and none when it is tiny', () => {
    expect(change('runs', { run_count: 2500 }, {})?.text).toBe('×25')
    expect(change('cost', { total_cost: 1.0001 }, { total_cost: 1 })).toMatchObject({
      text: 'no change',
      tone: 'neutral',
    })
  })
})

describe('the caption of a figure', () => {
  it.each([
    ['runs', 'traces', 'traces'],
    ['runs', 'runs', 'runs'],
    ['error_rate', 'traces', 'of traces failed'],
    ['latency', 'traces', 'p95 latency'],
  ] as const)('of %s over %s is "%s"', (metric, scope, caption) => {
    expect(getCaption(getMetric({ metric }), scope)).toBe(caption)
  })
})

describe('partial buckets', () => {
  const at = (iso: string) => Date.parse(iso)
  const times = ['2026-03-01T02:00:00Z', '2026-03-01T03:00:00Z', '2026-03-01T04:00:00Z'].map(at)

  it.each([
    ['inside both', '02:20:00', '04:10:00', [0, 2]],
    ['at whole hours', '02:00:00', '04:59:59.999', []],
    ['before the first bucket', '01:20:00', '04:10:00', [2]],
    ['after the last bucket', '02:20:00', '09:10:00', [0]],
  ])('are those where the range begins or ends: %s', (_, from, to, expected) => {
    const bounds = { from: `2026-03-01T${from}Z`, to: `2026-03-01T${to}Z` }
    expect([...findPartialBuckets(times, '1h', bounds).keys()]).toEqual(expected)
  })

  it('are not known in an open range or without runs', () => {
    expect(findPartialBuckets(times, '1h', {}).size).toBe(0)
    expect(findPartialBuckets([], '1h', { from: new Date(at('2026-03-01T02:30:00Z')).toISOString() }).size).toBe(0)
  })
})

describe('the totals of groups', () => {
  const grouped = series([], {
    total_groups: 5,
    total: figures(10, 2, { total_cost: 4 }),
    series: [
      { group: 'large', run_count: 6, total: figures(6, 0, { total_cost: 1 }), points: [] },
      { group: null, run_count: 3, total: figures(3, 2, { total_cost: null }), points: [] },
    ],
    other: { run_count: 1, total: figures(1, 0, { total_cost: 3 }), points: [] },
  })
  const rows = (metric: 'cost' | 'error_rate', ...sort: Parameters<typeof listGroupTotals>[2][]) =>
    listGroupTotals(getMetric({ metric }), grouped, sort[0]).map(({ label, value, share }) => [label, value, share])

  it('have shares of the sum, and unknown values last', () => {
    expect(rows('cost')).toEqual([
      ['other (3)', 3, 0.75],
      ['large', 1, 0.25],
      ['none', null, null],
    ])
  })

  it('have shares of the runs where values do not add up', () => {
    expect(rows('error_rate')).toEqual([
      ['none', 2 / 3, 0.3],
      ['large', 0, 0.6],
      ['other (3)', 0, 0.1],
    ])
  })

  it('are sorted by a column', () => {
    const labels = (by: 'label' | 'runs', isDescending: boolean) =>
      rows('cost', { by, isDescending }).map(([label]) => label)
    expect(labels('label', false)).toEqual(['large', 'none', 'other (3)'])
    expect(labels('runs', true)).toEqual(['large', 'none', 'other (3)'])
    expect(rows('cost', { by: 'value', isDescending: false }).map(([label]) => label)).toEqual([
      'large',
      'other (3)',
      'none',
    ])
  })
})

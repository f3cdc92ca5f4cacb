import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  addConditions,
  getNextBucket,
  getPreviousPeriod,
  listBuckets,
  OTHER,
  selectVisibleLines,
  summarizeChart,
  toBucketRange,
  toChartData,
  toGroupFilter,
} from './chart.ts'
import { defaultCharts, getMetric } from './metrics.ts'
import { figures, point, series } from './testing/some-series.ts'

const HOUR = 3_600_000

const runs = getMetric({ metric: 'runs' })
const valuesOf = (chart: ReturnType<typeof toChartData>) => chart.lines.map(({ label, values }) => [label, values])

describe('the chart of a series', () => {
  it('has a gap where a bucket is empty, not a zero', () => {
    expect(valuesOf(toChartData(runs, series([point(0, 5, 1), point(2, 3)]), false))).toEqual([
      ['ok', [4, null, 3]],
      ['failed', [1, null, 0]],
    ])
  })

  it('leaves out unknown values: a cost without a price, a latency without runs', () => {
    const cost = toChartData(
      getMetric({ metric: 'cost' }),
      series([point(0, 1), point(1, 1, 0, { total_cost: 0.5 })]),
      false,
    )
    expect(cost.lines[0]!.values).toEqual([null, 0.5])
  })

  it('draws a line per group and folds the rest', () => {
    const grouped = series([], {
      total_groups: 16,
      series: [
        { group: 'a', run_count: 9, total: figures(9), points: [point(0, 9)] },
        { group: null, run_count: 1, total: figures(1), points: [point(1, 1)] },
      ],
      other: { run_count: 4, total: figures(4), points: [point(1, 4)] },
    })
    const chart = toChartData(runs, grouped, true)
    expect(valuesOf(chart)).toEqual([
      ['a', [9, null]],
      ['none', [null, 1]],
      ['other (14)', [null, 4]],
    ])
    expect(chart.lines.map(({ group }) => group)).toEqual(['a', null, OTHER])
    expect(chart.otherGroups).toBe(14)
    expect(new Set(chart.lines.map(({ dash, color }) => `${dash} ${color}`)).size).toBe(3)
  })

  it('draws the previous period over this one', () => {
    const before = { series: series([point(-24, 7), point(-22, 2)]), shiftMs: 24 * HOUR }
    const chart = toChartData(runs, series([point(0, 5), point(1, 6), point(2, 7)]), false, before)
    expect(chart.lines.at(-1)).toMatchObject({ isBefore: true, values: [7, null, 2] })
  })

  it('shows one line alone, or all but the hidden ones', () => {
    const chart = toChartData(getMetric({ metric: 'latency' }), series([point(0, 1)]), false)
    const ids = (solo: string | undefined, hidden: string[]) =>
      selectVisibleLines(chart, { solo, hidden: new Set(hidden) }).map(({ id }) => id)
    expect([ids(undefined, ['p50']), ids('p99', ['p99'])]).toEqual([['p95', 'p99'], ['p99']])
  })

  it('is described in a sentence', () => {
    const rate = getMetric({ metric: 'error_rate' })
    const chart = toChartData(rate, series([point(0, 10, 1), point(1, 4, 1)]), false)
    expect(summarizeChart(rate, chart)).toBe(
      'Share of runs that failed over 2 buckets: error rate last 25 %, between 10 % and 25 %.',
    )
    expect(summarizeChart(rate, toChartData(rate, series([]), false))).toBe(
      'Share of runs that failed: no data in this range.',
    )
  })

  it('names the percentile of groups', () => {
    const latency = getMetric({ metric: 'latency' })
    const points = [point(0, 3)]
    const grouped = series([], { series: [{ group: 'a', run_count: 3, total: figures(3), points }] })
    expect(summarizeChart(latency, toChartData(latency, grouped, true))).toBe(
      'Latency (p95) over 1 buckets: a last 2.00 s.',
    )
  })

  it('counts the scores behind a mean', () => {
    const metric = getMetric({ metric: 'feedback', feedback_key: 'helpful' })
    const given = point(0, 10, 0, { feedback: { helpful: { n: 2, avg: 0.5 } } })
    expect(toChartData(metric, series([given]), false).lines[0]).toMatchObject({ values: [0.5], samples: [2] })
  })
})

describe('the default charts', () => {
  it('contain a chart per metric and per feedback key', () => {
    const ids = defaultCharts(['helpful'], 'traces').map(({ id }) => id)
    expect(ids).toEqual([
      'runs',
      'latency',
      'error_rate',
      'tokens',
      'cost',
      'first_token',
      'feedback-helpful',
      'errors',
    ])
  })
})

const at = (iso: string) => Date.parse(iso)
const zone = process.env.TZ
beforeAll(() => {
  process.env.TZ = 'Europe/Berlin'
})
afterAll(() => {
  process.env.TZ = zone ?? 'UTC'
})

describe('buckets', () => {
  it('include empty ones between those with runs', () => {
    const starts = ['2026-03-01T02:00:00Z', '2026-03-01T00:00:00Z', '2026-03-01T05:00:00Z'].map(at)
    expect(listBuckets(starts, '1h').map((ms) => new Date(ms).getUTCHours())).toEqual([0, 1, 2, 3, 4, 5])
    expect(listBuckets([], '1h')).toEqual([])
  })

  it('do not appear twice when one is shorter than the others', () => {
    const starts = [at('2026-03-28T23:00:00Z'), at('2026-03-29T22:00:00Z')]
    expect(listBuckets(starts, '1d')).toEqual(starts)
  })

  it('end where the next one begins', () => {
    expect(getNextBucket(at('2026-03-01T00:00:00Z'), '15m')).toBe(at('2026-03-01T00:15:00Z'))
    expect(new Date(getNextBucket(new Date(2026, 0, 31).getTime(), '1d')).getDate()).toBe(1)
    expect(new Date(getNextBucket(new Date(2026, 0, 1).getTime(), '1M')).getMonth()).toBe(1)
  })

  it('are cut by the window, and end a microsecond before the next', () => {
    const bucket = at('2026-03-01T10:00:00Z')
    expect(toBucketRange(bucket, '1h', {})).toBe('2026-03-01T10:00:00.000Z..2026-03-01T10:59:59.999999Z')
    const window = { from: '2026-03-01T10:20:00.000Z', to: '2026-03-01T10:40:00.000Z' }
    expect(toBucketRange(bucket, '1h', window)).toBe(`${window.from}..${window.to}`)
  })
})

describe('the previous period', () => {
  it('is as long as the window and ends where it begins', () => {
    const window = { from: '2026-03-08T00:00:00.000Z', to: '2026-03-15T00:00:00.000Z' }
    expect(getPreviousPeriod(window, 0)).toEqual({
      bounds: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-07T23:59:59.999999Z' },
      shiftMs: 7 * 86_400_000,
    })
    expect(getPreviousPeriod({ to: window.to }, 0)).toBeUndefined()
  })
})

describe('the filter of a group', () => {
  it.each([
    [{ attribute: 'model' }, 'gpt-4o', 'eq(model, "gpt-4o")'],
    [{ attribute: 'model' }, null, 'eq(model, null)'],
    [{ attribute: 'run_type' }, 'llm', 'eq(run_type, "llm")'],
    [{ attribute: 'name' }, 'say "hi"', 'eq(name, "say \\"hi\\"")'],
    [{ attribute: 'tag' }, 'prod', 'has(tags, "prod")'],
    [{ attribute: 'tag' }, null, 'eq(tags, null)'],
    [{ attribute: 'metadata', path: 'env' }, 'prod', 'and(eq(metadata_key, "env"), eq(metadata_value, "prod"))'],
    [{ attribute: 'metadata', path: 'n' }, '5', 'and(eq(metadata_key, "n"), in(metadata_value, ["5", 5]))'],
    [{ attribute: 'metadata', path: 'env' }, null, 'neq(metadata_key, "env")'],
  ] as const)('%o %o', (grouping, group, filter) => {
    expect(toGroupFilter(grouping, group)).toBe(filter)
  })
})

describe('adding conditions', () => {
  it('adds conditions without changing others', () => {
    expect(addConditions(undefined, 'eq(model, "m")')).toBe('eq(model, "m")')
    expect(addConditions('gt(latency, 5)', undefined)).toBe('gt(latency, 5)')
    expect(addConditions('gt(latency, 5)', 'eq(model, "m")', 'eq(status, "error")')).toBe(
      'and(gt(latency, 5), eq(model, "m"), eq(status, "error"))',
    )
  })

  it('keeps a metadata key and its value in one clause', () => {
    const both = addConditions(
      'and(eq(metadata_key, "a"), eq(metadata_value, "1"))',
      toGroupFilter({ attribute: 'metadata', path: 'b' }, 'x'),
    )
    expect(both).toContain('and(eq(metadata_key, "b"), eq(metadata_value, "x"))')
  })
})

import type { RunSeries, SeriesPoint } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  filterOfGroup,
  gridOf,
  narrow,
  nextBucket,
  OTHER,
  periodBefore,
  pictureOf,
  rangeOfBucket,
  shownLines,
  summaryOf,
} from './chart.ts'
import { defaultCharts, metricOf } from './metrics.ts'

const HOUR = 3_600_000
const START = Date.parse('2026-03-01T00:00:00Z')

/** A bucket some hours after the start, with so many runs of which so many failed. */
function point(hour: number, run_count: number, error_count = 0, more: Partial<SeriesPoint> = {}): SeriesPoint {
  return {
    time: new Date(START + hour * HOUR).toISOString().replace('Z', '000Z'),
    run_count,
    error_count,
    latency_p50: 1,
    latency_p95: 2,
    latency_p99: 3,
    first_token_p50: null,
    first_token_p99: null,
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_cost: null,
    completion_cost: null,
    total_cost: null,
    feedback: {},
    ...more,
  }
}

function series(points: SeriesPoint[], more: Partial<RunSeries> = {}): RunSeries {
  const all = { group: null, run_count: points.reduce((sum, { run_count }) => sum + run_count, 0), points }
  return { bucket: '1h', time_zone: 'UTC', total_groups: 1, series: [all], other: null, ...more }
}

const runs = metricOf({ metric: 'runs' })
const valuesOf = (picture: ReturnType<typeof pictureOf>) => picture.lines.map(({ label, values }) => [label, values])

describe('the picture of a series', () => {
  it('has a gap where a bucket is empty, not a zero', () => {
    expect(valuesOf(pictureOf(runs, series([point(0, 5, 1), point(2, 3)]), false))).toEqual([
      ['ok', [4, null, 3]],
      ['failed', [1, null, 0]],
    ])
  })

  it('leaves out what is not known: a cost without a price, a latency of nothing', () => {
    const cost = pictureOf(
      metricOf({ metric: 'cost' }),
      series([point(0, 1), point(1, 1, 0, { total_cost: 0.5 })]),
      false,
    )
    expect(cost.lines[0]!.values).toEqual([null, 0.5])
  })

  it('draws a line per group and folds the rest', () => {
    const grouped = series([], {
      total_groups: 16,
      series: [
        { group: 'a', run_count: 9, points: [point(0, 9)] },
        { group: null, run_count: 1, points: [point(1, 1)] },
      ],
      other: { run_count: 4, points: [point(1, 4)] },
    })
    const picture = pictureOf(runs, grouped, true)
    expect(valuesOf(picture)).toEqual([
      ['a', [9, null]],
      ['none', [null, 1]],
      ['other (14)', [null, 4]],
    ])
    expect(picture.lines.map(({ group }) => group)).toEqual(['a', null, OTHER])
    expect(picture.otherGroups).toBe(14)
  })

  it('lays the period before over this one', () => {
    const before = { series: series([point(-24, 7), point(-22, 2)]), shiftMs: 24 * HOUR }
    const picture = pictureOf(runs, series([point(0, 5), point(1, 6), point(2, 7)]), false, before)
    expect(picture.lines.at(-1)).toMatchObject({ isBefore: true, values: [7, null, 2] })
  })

  it('shows one line alone, or all but the hidden ones', () => {
    const picture = pictureOf(metricOf({ metric: 'latency' }), series([point(0, 1)]), false)
    const ids = (solo: string | undefined, hidden: string[]) =>
      shownLines(picture, { solo, hidden: new Set(hidden) }).map(({ id }) => id)
    expect([ids(undefined, ['p50']), ids('p99', ['p99'])]).toEqual([['p95', 'p99'], ['p99']])
  })

  it('is told in a sentence', () => {
    const rate = metricOf({ metric: 'error_rate' })
    const picture = pictureOf(rate, series([point(0, 10, 1), point(1, 4, 1)]), false)
    expect(summaryOf(rate, picture)).toBe(
      'Share of runs that failed over 2 buckets: failed last 25 %, between 10 % and 25 %.',
    )
    expect(summaryOf(rate, pictureOf(rate, series([]), false))).toBe('Share of runs that failed: nothing in this time.')
  })

  it('knows how many scores stand behind a mean', () => {
    const metric = metricOf({ metric: 'feedback', feedback_key: 'helpful' })
    const given = point(0, 10, 0, { feedback: { helpful: { n: 2, avg: 0.5 } } })
    expect(pictureOf(metric, series([given]), false).lines[0]).toMatchObject({ values: [0.5], samples: [2] })
  })
})

describe('the monitor as it comes', () => {
  it('has a chart per metric and per key of feedback', () => {
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
  it('that are empty get a place between those that are not', () => {
    const starts = ['2026-03-01T02:00:00Z', '2026-03-01T00:00:00Z', '2026-03-01T05:00:00Z'].map(at)
    expect(gridOf(starts, '1h').map((ms) => new Date(ms).getUTCHours())).toEqual([0, 1, 2, 3, 4, 5])
    expect(gridOf([], '1h')).toEqual([])
  })

  it('do not appear twice where one is shorter than the others', () => {
    const starts = [at('2026-03-28T23:00:00Z'), at('2026-03-29T22:00:00Z')]
    expect(gridOf(starts, '1d')).toEqual(starts)
  })

  it('end where the next one begins', () => {
    expect(nextBucket(at('2026-03-01T00:00:00Z'), '15m')).toBe(at('2026-03-01T00:15:00Z'))
    expect(new Date(nextBucket(new Date(2026, 0, 31).getTime(), '1d')).getDate()).toBe(1)
    expect(new Date(nextBucket(new Date(2026, 0, 1).getTime(), '1M')).getMonth()).toBe(1)
  })

  it('are cut by the window, and end a microsecond before the next', () => {
    const bucket = at('2026-03-01T10:00:00Z')
    expect(rangeOfBucket(bucket, '1h', {})).toBe('2026-03-01T10:00:00.000Z..2026-03-01T10:59:59.999999Z')
    const window = { from: '2026-03-01T10:20:00.000Z', to: '2026-03-01T10:40:00.000Z' }
    expect(rangeOfBucket(bucket, '1h', window)).toBe(`${window.from}..${window.to}`)
  })
})

describe('the period before', () => {
  it('is as long as the window and ends where it begins', () => {
    const window = { from: '2026-03-08T00:00:00.000Z', to: '2026-03-15T00:00:00.000Z' }
    expect(periodBefore(window, 0)).toEqual({
      bounds: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-07T23:59:59.999999Z' },
      shiftMs: 7 * 86_400_000,
    })
    expect(periodBefore({ to: window.to }, 0)).toBeUndefined()
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
    expect(filterOfGroup(grouping, group)).toBe(filter)
  })
})

describe('narrowing', () => {
  it('adds conditions and changes none', () => {
    expect(narrow(undefined, 'eq(model, "m")')).toBe('eq(model, "m")')
    expect(narrow('gt(latency, 5)', undefined)).toBe('gt(latency, 5)')
    expect(narrow('gt(latency, 5)', 'eq(model, "m")', 'eq(status, "error")')).toBe(
      'and(gt(latency, 5), eq(model, "m"), eq(status, "error"))',
    )
  })

  it('keeps the two halves of a metadata pair to themselves', () => {
    const both = narrow(
      'and(eq(metadata_key, "a"), eq(metadata_value, "1"))',
      filterOfGroup({ attribute: 'metadata', path: 'b' }, 'x'),
    )
    expect(both).toContain('and(eq(metadata_key, "b"), eq(metadata_value, "x"))')
  })
})

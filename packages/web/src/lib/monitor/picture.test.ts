import type { RunSeries, SeriesPoint } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { defaultCharts, metricOf } from './metrics.ts'
import { OTHER, pictureOf, shownLines, summaryOf } from './picture.ts'

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

import type { RunSeries, SeriesFigures, SeriesPoint } from '@touchstone/contract'

const HOUR = 3_600_000
const START = Date.parse('2026-03-01T00:00:00Z')

/** The figures of so many runs, of which so many failed. */
export function figures(run_count: number, error_count = 0, more: Partial<SeriesFigures> = {}): SeriesFigures {
  return {
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
    reported_cost: null,
    unpriced_fees: null,
    total_cost: null,
    feedback: {},
    thread_count: null,
    user_count: null,
    ...more,
  }
}

/** A bucket so many hours after the start of March 2026. */
export function point(
  hour: number,
  run_count: number,
  error_count = 0,
  more: Partial<SeriesFigures> = {},
): SeriesPoint {
  const time = new Date(START + hour * HOUR).toISOString().replace('Z', '000Z')
  return { time, ...figures(run_count, error_count, more) }
}

export function series(points: SeriesPoint[], more: Partial<RunSeries> = {}): RunSeries {
  const sum = (field: 'run_count' | 'error_count') => points.reduce((total, point) => total + point[field], 0)
  const total = figures(sum('run_count'), sum('error_count'))
  const all = { group: null, run_count: total.run_count, total, points }
  return { bucket: '1h', time_zone: 'UTC', total_groups: 1, total, series: [all], other: null, ...more }
}

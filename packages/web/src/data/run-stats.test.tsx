// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runStatsQuery } from './run-stats.ts'
import { fakeApi, json } from './testing/fake-api.tsx'

afterEach(() => vi.unstubAllGlobals())

const view = { projectId: 'p', scope: 'traces' as const, filters: {} }

/** A project with 12 runs in the bars of a histogram, and one that starts later than now. */
async function count(bounds: { from?: string; to?: string }) {
  const bucket = { time: '2026-01-01T00:00:00.000000Z', success: 11, error: 1, pending: 0, interrupted: 0 }
  const calls = fakeApi({
    'POST /runs/histogram': () => json({ bucket: '1h', time_zone: 'UTC', buckets: [bucket] }),
    'POST /runs/stats': () => json({ run_count: 1 }),
  })
  const found = await new QueryClient().fetchQuery(runStatsQuery.histogram(view, bounds))
  return { ...found, calls }
}

describe('the number of runs of a list', () => {
  it('includes those in the future, which no bar shows', async () => {
    const { count: total, futureCount, calls } = await count({ from: '2026-01-01T00:00:00.000Z' })
    expect({ total, futureCount }).toEqual({ total: 13, futureCount: 1 })
    // The second range begins where the bars end.
    const [bars, later] = calls.map(({ body }) => body as { start_time?: string; end_time?: string })
    expect(Date.parse(later?.start_time ?? '')).toBe(Date.parse(bars?.end_time ?? '') + 1)
    expect(later?.end_time).toBeUndefined()
  })

  it('has none of them when the range has an end', async () => {
    const bounds = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }
    const { count: total, futureCount, calls } = await count(bounds)
    expect({ total, futureCount }).toEqual({ total: 12, futureCount: 0 })
    expect(calls).toHaveLength(1)
  })
})

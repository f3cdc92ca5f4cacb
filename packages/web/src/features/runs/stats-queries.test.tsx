// @vitest-environment happy-dom
import { QueryClient } from '@tanstack/react-query'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json } from '#lib/api/testing/fake-api.tsx'
import { runStatsQuery } from './stats-queries.ts'

afterEach(() => vi.unstubAllGlobals())

const view = { projectId: 'p', scope: 'traces' as const, filters: {} }

/** A project with 12 runs in the bars of a histogram, and one that starts later than now. */
async function count(bounds: { from?: string; to?: string }) {
  const bucket = { time: '2026-01-01T00:00:00.000000Z', success: 11, error: 1, pending: 0, interrupted: 0 }
  const found = { bucket: '1h', time_zone: 'UTC', buckets: [bucket] }
  fakeApi({
    'POST /runs/histogram': ({ body }) =>
      json({ ...found, ...((body as { count_later: boolean }).count_later && { later_count: 1 }) }),
  })
  const { count: total, futureCount } = await new QueryClient().fetchQuery(runStatsQuery.histogram(view, bounds))
  return { total, futureCount }
}

describe('the number of runs of a list', () => {
  it('includes those in the future, which no bar shows', async () => {
    expect(await count({ from: '2026-01-01T00:00:00.000Z' })).toEqual({ total: 13, futureCount: 1 })
  })

  it('has none of them when the range has an end', async () => {
    const bounds = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }
    expect(await count(bounds)).toEqual({ total: 12, futureCount: 0 })
  })
})

// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { DashboardChart, RunGrouping } from '@touchstone/contract'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { figures, point, series } from '../logic/testing/some-series.ts'
import { ChartContext, type ChartContextValue } from './chart-context.tsx'
import { SeriesChart } from './series-chart.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const WINDOW = { from: '2026-03-01T00:20:00.000Z', to: '2026-03-01T04:00:00.000Z' }
const chart = (metric: DashboardChart['metric']): DashboardChart => ({
  id: metric,
  metric,
  scope: 'traces',
  kind: 'line',
  size: 'small',
})

/** Two charts of the same runs as tables, with a button that compares them with the previous period. */
function Charts({ group }: { group?: RunGrouping }) {
  const [isCompared, setCompared] = useState(false)
  const context: ChartContextValue = {
    tenant: 't',
    projectId: 'p',
    filters: {},
    window: WINDOW_RANGE,
    group,
    isCompared,
    feedbackKeys: [],
    ofPrevious: OF_PREVIOUS,
    theme: 'light',
    onZoom: () => undefined,
  }
  return (
    <ChartContext value={context}>
      <button type="button" onClick={() => setCompared(true)}>
        Compare
      </button>
      {(['runs', 'latency'] as const).map((metric) => (
        <section key={metric} aria-label={metric}>
          <SeriesChart chart={chart(metric)} isTable />
        </section>
      ))}
    </ChartContext>
  )
}
const WINDOW_RANGE = { bounds: WINDOW, nowMs: Date.parse(WINDOW.to) }
const OF_PREVIOUS = { feedbackKeys: [], distinct: [] }

const isCurrent = (body: unknown) => (body as { start_time?: string }).start_time === WINDOW.from
const now = series([point(0, 40), point(1, 60, 5)], { total: figures(100, 5, { latency_p95: 3.5 }) })
const before = series([point(-3, 50)], { total: figures(50, 0, { latency_p95: 2 }) })

describe('a chart', () => {
  it('shows its figure with the change, from one request for each period and all charts', async () => {
    const calls = fakeApi({ 'POST /runs/series': ({ body }) => json(isCurrent(body) ? now : before) })
    renderWithQueries(<Charts />)
    const latency = within(screen.getByRole('region', { name: 'latency' }))
    await latency.findByText('75 %')
    expect(latency.getByText('3.50 s')).toBeDefined()
    expect(latency.getByText('p95 latency')).toBeDefined()
    expect(latency.getByText('per hour')).toBeDefined()
    const runs = within(screen.getByRole('region', { name: 'runs' }))
    expect(runs.getByText('traces')).toBeDefined()
    expect(runs.getAllByTitle('Partial: the range starts at', { exact: false })).toHaveLength(1)
    expect(calls).toHaveLength(2)

    await userEvent.click(screen.getByRole('button', { name: 'Compare' }))
    await runs.findByRole('columnheader', { name: 'runs, previous period' })
    expect(calls).toHaveLength(2)
  })
})

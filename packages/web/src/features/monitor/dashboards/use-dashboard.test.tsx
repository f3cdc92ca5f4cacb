// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { DashboardChart } from '@touchstone/contract'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { isSameJson } from '#lib/changes.ts'
import { clearToasts, Toasts } from '#ui/toast.tsx'
import { putChart } from '../logic/metrics.ts'
import { type OpenDashboard, useDashboard } from './use-dashboard.ts'

afterEach(() => {
  cleanup()
  act(clearToasts)
  vi.unstubAllGlobals()
})

const ID = '7b1c3f0e-6a1d-4b6e-9d0b-0f4b5a1c2d3e'
const chart = (id: string, title: string): DashboardChart => ({
  id,
  title,
  metric: 'latency',
  scope: 'traces',
  kind: 'line',
  size: 'small',
})
const [a, b] = [chart('a', 'A'), chart('b', 'B')] as const

/** A dashboard of two charts, whose stored charts others may change. */
async function open() {
  const server = { charts: [a, b] as DashboardChart[], fails: false }
  const read = () => json({ id: ID, name: 'D', charts: server.charts })
  fakeApi({
    [`GET /dashboards/${ID}`]: read,
    'GET /dashboards': () => json([]),
    [`PATCH /dashboards/${ID}`]: ({ body }) => {
      if (server.fails) return json({ detail: 'The disk is full.' }, 507)
      const { charts, expected } = body as { charts: DashboardChart[]; expected: { charts: DashboardChart[] } }
      const detail = [{ loc: ['body', 'charts'], msg: 'It was changed.', type: 'changed' }]
      if (!isSameJson(expected.charts, server.charts)) return json({ detail }, 409)
      server.charts = charts
      return read()
    },
  })
  const shown: { dashboard?: OpenDashboard } = {}
  function Page() {
    shown.dashboard = useDashboard(ID)
    return <p>{shown.dashboard.charts?.map(({ title }) => title).join(' ')}</p>
  }
  renderWithQueries(
    <>
      <Page />
      <Toasts />
    </>,
  )
  await screen.findByText('A B')
  return {
    server,
    dashboard: () => shown.dashboard as OpenDashboard,
    stored: () => server.charts.map(({ title }) => title).join(' '),
  }
}

describe('the charts of a dashboard', () => {
  it('are saved on top of other charts that were changed elsewhere', async () => {
    const { server, dashboard, stored } = await open()
    server.charts = [a, chart('b', 'theirs')]
    act(() => dashboard().save(putChart([a, b], chart('a', 'mine'))))
    await waitFor(() => expect(stored()).toBe('mine theirs'))
    await screen.findByText('mine theirs')
    expect(dashboard().conflicts).toEqual([])
  })

  it('wait for a choice when one was changed here and elsewhere', async () => {
    const { server, dashboard, stored } = await open()
    server.charts = [chart('a', 'theirs'), b]
    act(() => dashboard().save(putChart([a, b], chart('a', 'mine'))))
    await waitFor(() => expect(dashboard().conflicts).toHaveLength(1))
    expect(dashboard().conflicts[0]).toMatchObject({ mine: { title: 'mine' }, theirs: { title: 'theirs' } })
    // Nothing else is saved until then, and nothing is lost.
    act(() => dashboard().save(putChart(dashboard().charts ?? [], chart('b', 'mine too'))))
    screen.getByText('mine mine too')
    expect(stored()).toBe('theirs B')
    act(() => dashboard().choose('mine'))
    await waitFor(() => expect(stored()).toBe('mine mine too'))
    expect(dashboard().conflicts).toEqual([])
  })

  it('are as they were saved elsewhere when the user takes them', async () => {
    const { server, dashboard, stored } = await open()
    server.charts = [chart('a', 'theirs'), b]
    act(() => dashboard().save([chart('a', 'mine'), chart('b', 'mine')]))
    await waitFor(() => expect(dashboard().conflicts).toHaveLength(1))
    act(() => dashboard().choose('theirs'))
    await waitFor(() => expect(stored()).toBe('theirs mine'))
  })

  it('are based on what an open dialog has shown, also when newer ones are read meanwhile', async () => {
    const { dashboard, server, stored } = await open()
    const base = dashboard().charts ?? []
    server.charts = [chart('a', 'theirs'), b]
    await act(() => dashboard().read.refetch())
    await screen.findByText('theirs B')
    act(() => dashboard().save(putChart(base, chart('a', 'mine')), base))
    await waitFor(() => expect(dashboard().conflicts).toHaveLength(1))
    expect(stored()).toBe('theirs B')
  })

  it('say that one was removed only after it was, and put it back among the charts of others', async () => {
    const { server, dashboard, stored } = await open()
    server.fails = true
    act(() => dashboard().remove(a))
    await screen.findByText('Could not save the dashboard')
    expect(screen.queryByText('A removed')).toBeNull()
    screen.getByText('A B')

    server.fails = false
    act(() => dashboard().remove(a))
    await screen.findByText('A removed')
    expect(stored()).toBe('B')
    server.charts = [chart('b', 'theirs')]
    await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(stored()).toBe('A theirs'))
  })
})

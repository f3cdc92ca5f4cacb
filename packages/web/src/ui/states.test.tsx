// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connectionNotices } from './hooks.tsx'
import { EmptyState, ErrorState, PaneBoundary, SkeletonRows } from './states.tsx'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('the error state', () => {
  const error = Object.assign(new Error('The server is busy.'), { status: 503, requestId: 'r-1' })

  it('shows what failed, why, and the request', () => {
    render(<ErrorState title="Could not load the runs" error={error} />)
    const alert = screen.getByRole('alert').textContent
    expect(alert).toContain('Could not load the runs')
    expect(alert).toContain('The server is busy.')
    expect(alert).toContain('HTTP 503 · request r-1')
  })

  it('offers a retry only where one is possible', async () => {
    const onRetry = vi.fn()
    const { rerender } = render(<ErrorState title="Could not load the runs" error={error} onRetry={onRetry} />)
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
    expect(onRetry).toHaveBeenCalledOnce()
    rerender(<ErrorState title="Could not load the runs" error={error} />)
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull()
  })

  it('tells that it reconnects while the server is away, instead of the general banner', () => {
    const away = Object.assign(new Error('fetch failed'), { name: 'APIConnectionError' })
    const { rerender, unmount } = render(<ErrorState title="Could not load the runs" error={away} compact />)
    expect(connectionNotices.read()).toBe(0)
    rerender(<ErrorState title="Could not load the runs" error={away} />)
    expect(screen.getByRole('alert').textContent).toContain('The server is not responding.')
    expect(screen.getByRole('alert').textContent).toContain('Reconnecting…')
    expect(connectionNotices.read()).toBe(1)
    unmount()
    expect(connectionNotices.read()).toBe(0)
  })

  it('copies the details for a report', async () => {
    const user = userEvent.setup()
    render(<ErrorState title="Could not load the runs" error={error} />)
    await user.click(screen.getByRole('button', { name: 'Copy details' }))
    const copied = await navigator.clipboard.readText()
    expect(copied).toContain('Could not load the runs\nThe server is busy.\nHTTP 503\nrequest r-1')
  })
})

describe('the empty state', () => {
  it('has a heading, a reason and a next step', () => {
    render(
      <EmptyState title="No runs" actions={<button type="button">Create run</button>}>
        Nothing was traced yet.
      </EmptyState>,
    )
    expect(screen.getByRole('heading', { name: 'No runs' })).toBeDefined()
    expect(screen.getByText('Nothing was traced yet.')).toBeDefined()
    expect(screen.getByRole('button', { name: 'Create run' })).toBeDefined()
  })
})

describe('skeleton rows', () => {
  it('are announced at once and drawn after 150 ms', () => {
    vi.useFakeTimers()
    render(<SkeletonRows rows={3} label="Loading runs" />)
    const status = screen.getByRole('status', { name: 'Loading runs' })
    expect(status.childElementCount).toBe(0)
    act(() => void vi.advanceTimersByTime(150))
    expect(status.childElementCount).toBe(3)
  })
})

describe('a pane boundary', () => {
  it('shows an error in its pane and renders it again on Retry', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    let isBroken = true
    const Chart = () => {
      if (isBroken) throw new Error('No data')
      return 'a chart'
    }
    render(
      <PaneBoundary title="Could not draw the chart">
        <Chart />
      </PaneBoundary>,
    )
    expect(screen.getByRole('alert').textContent).toContain('Could not draw the chart')
    isBroken = false
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
    expect(screen.getByText('a chart')).toBeDefined()
  })
})

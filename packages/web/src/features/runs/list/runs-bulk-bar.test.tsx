// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import type { RunsView } from '../queries.ts'
import { RunsBulkBar } from './runs-bulk-bar.tsx'
import type { Runs } from './use-runs.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const view: RunsView = { projectId: 'p', scope: 'traces', t: '7d', filters: {}, order: 'desc', withExtra: false }
const counted = { runs: 120, traces: 120, sample: [] }

function open(ids: readonly string[], { role = 'member', count = 120 }: { role?: string; count?: number } = {}) {
  const calls = fakeApi({
    'GET /me': () => json({ kind: 'user', role }),
    'POST /runs/bulk': () => json(counted),
  })
  const onClear = vi.fn()
  function TestBar() {
    const [isAll, setAll] = useState(false)
    const runs = {
      selection: { selectedIds: new Set(ids), isAll, setAll },
      list: { bounds: { from: '2026-01-01T00:00:00.000Z' }, query: { hasNextPage: true } },
    } as unknown as Runs
    return <RunsBulkBar tenant="t" view={view} runs={runs} count={count} onClear={onClear} />
  }
  renderWithQueries(<TestBar />)
  return { calls, onClear }
}

describe('the bulk action bar', () => {
  it('is hidden without a selection', () => {
    open([])
    expect(screen.queryByRole('region', { name: 'Selected runs' })).toBeNull()
  })

  it('counts the selected runs and clears the selection', async () => {
    const { onClear } = open(['a', 'b', 'c'])
    screen.getByText('3 selected')
    await userEvent.click(screen.getByRole('button', { name: 'Clear the selection' }))
    expect(onClear).toHaveBeenCalled()
  })

  it('switches to all matching runs and back', async () => {
    open(['a'])
    await userEvent.click(screen.getByRole('button', { name: 'Select all ~120 matching' }))
    screen.getByText('All ~120 matching')
    await userEvent.click(screen.getByRole('button', { name: 'Only the 1 selected' }))
    screen.getByText('1 selected')
  })

  it('does not offer all runs when all are selected', () => {
    open(['a'], { count: 1 })
    expect(screen.queryByRole('button', { name: /^Select all/ })).toBeNull()
  })

  it('disables actions for viewers', async () => {
    open(['a'], { role: 'viewer' })
    const add = screen.getByRole<HTMLButtonElement>('button', { name: 'Add to dataset' })
    await waitFor(() => expect(add.disabled).toBe(true))
    expect(add.title).toBe('Viewers have read-only access.')
  })

  it.each([
    ['the ids of the selected runs', false, { id: ['a'] }],
    ['the filter of all matching runs', true, { session: ['p'], is_root: true }],
  ])('sends %s', { timeout: 20_000 }, async (_, isAll, expected) => {
    const { calls } = open(['a'])
    if (isAll) await userEvent.click(screen.getByRole('button', { name: /^Select all/ }))
    await userEvent.click(screen.getByRole('button', { name: 'Export' }))
    await screen.findByRole('dialog', { name: 'Export' }, { timeout: 10_000 })
    await waitFor(() => expect(calls.map(({ path }) => path)).toContainEqual(expect.stringMatching(/bulk/)))
    expect(calls.find(({ path }) => path.includes('bulk'))?.body).toMatchObject(expected)
  })
})

// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ShortcutProvider } from '#ui/shortcuts.tsx'
import { buildTrace } from '../model/build-trace.ts'
import { aTraceTree, type GivenRun } from '../model/testing.ts'
import { traceQuery } from '../queries.ts'
import { PeekTree } from './peek-tree.tsx'

afterEach(cleanup)

function renderTree(runs: readonly GivenRun[]) {
  const queryClient = new QueryClient()
  queryClient.setQueryData(traceQuery.tree('root').queryKey, buildTrace(aTraceTree(runs)))
  render(
    <QueryClientProvider client={queryClient}>
      <ShortcutProvider>
        <PeekTree runId="root" traceId="root" onSelect={vi.fn()} />
      </ShortcutProvider>
    </QueryClientProvider>,
  )
}

describe('the tree of a preview', () => {
  it('keeps its height when a run is collapsed', async () => {
    renderTree([
      { id: 'root', at: [0, 9] },
      { id: 'first', parent: 'root', at: [1, 2], name: 'plan' },
      { id: 'second', parent: 'root', at: [3, 4], name: 'act', run_type: 'tool' },
    ])
    const tree = screen.getByRole('tree', { name: 'Trace of 3 runs' })
    expect(screen.getAllByRole('treeitem')).toHaveLength(3)
    expect(tree.style.height).toBe('73px')
    tree.focus()
    await userEvent.keyboard('{ArrowLeft}')
    expect(screen.getAllByRole('treeitem')).toHaveLength(1)
    expect(tree.style.height).toBe('73px')
  })

  it('is left out for a single run', () => {
    renderTree([{ id: 'root', at: [0, 9] }])
    expect(screen.queryByRole('tree')).toBeNull()
  })
})

// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { queueQuery } from '#features/annotation-queues/queries.ts'
import { datasetQuery } from '#features/datasets/queries.ts'
import { projectQuery, searchExperimentsQuery } from '#features/projects/queries.ts'
import { recentsPreference } from '#lib/preferences.ts'
import type { ShortcutGroup } from '#lib/shortcuts.ts'
import { ShortcutProvider, useShortcuts } from '#ui/shortcuts.tsx'
import { CommandPalette } from './command-palette.tsx'
import { getFirstKey, listPageActions } from './palette-sections.tsx'

afterEach(() => {
  cleanup()
  recentsPreference.write([])
})

function Page({ onCopy, onClose }: { onCopy: () => void; onClose: () => void }) {
  useShortcuts('List', [{ keys: 'y', label: 'Copy link', run: onCopy }])
  return <CommandPalette tenant="t" onClose={onClose} />
}

async function openPalette() {
  const onCopy = vi.fn()
  const onClose = vi.fn()
  const queryClient = new QueryClient({ defaultOptions: { queries: { enabled: false } } })
  queryClient.setQueryData(projectQuery.names().queryKey, {
    pages: [[{ id: 'p1', name: 'support' }], [{ id: 'p2', name: 'search' }]],
    pageParams: [],
  } as never)
  queryClient.setQueryData(datasetQuery.list().queryKey, {
    pages: [[{ id: 'd1', name: 'golden set' }]],
    pageParams: [],
  } as never)
  queryClient.setQueryData(queueQuery.list().queryKey, [{ id: 'q1', name: 'golden review' }] as never)
  queryClient.setQueryData(searchExperimentsQuery('gold').queryKey, [
    { id: 'e1', name: 'golden-7', reference_dataset_id: 'd1' },
  ] as never)
  const rootRoute = createRootRoute({ component: () => <Page onCopy={onCopy} onClose={onClose} /> })
  const router = createRouter({ routeTree: rootRoute, history: createMemoryHistory() })
  const navigate = vi.spyOn(router, 'navigate').mockResolvedValue()
  render(
    <QueryClientProvider client={queryClient}>
      <ShortcutProvider>
        <RouterProvider router={router as never} />
      </ShortcutProvider>
    </QueryClientProvider>,
  )
  return { input: await screen.findByPlaceholderText('Search, or paste an ID or a link'), navigate, onClose, onCopy }
}

const options = () => screen.getAllByRole('option').map((option) => option.textContent)

describe('command palette', () => {
  it('begins with recent pages and projects, then lists the actions of the page', async () => {
    recentsPreference.write([
      { kind: 'dataset', label: 'golden set', href: '/o/t/datasets/d1' },
      { kind: 'dataset', label: 'of another workspace', href: '/o/u/datasets/d2' },
    ])
    const { navigate } = await openPalette()
    expect(options().slice(0, 4)).toEqual(['golden set', 'support', 'search', expect.stringContaining('Copy link')])
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(navigate).toHaveBeenCalledWith({ href: '/o/t/datasets/d1' }))
  })

  it('runs an action of the page after closing', async () => {
    const { input, onCopy, onClose } = await openPalette()
    await userEvent.type(input, 'copy link')
    await userEvent.keyboard('{Enter}')
    expect(onClose).toHaveBeenCalledOnce()
    await waitFor(() => expect(onCopy).toHaveBeenCalledOnce())
  })

  it('finds a project by name and opens it', async () => {
    const { input, navigate } = await openPalette()
    await userEvent.type(input, 'supp')
    expect(options()[0]).toBe('support')
    await userEvent.keyboard('{Enter}')
    await waitFor(() =>
      expect(navigate).toHaveBeenCalledWith({
        to: '/o/$tenant/projects/p/$projectId',
        params: { tenant: 't', projectId: 'p1' },
      }),
    )
  })

  it('finds datasets and queues, and experiments that the server finds, below them', async () => {
    const { input, navigate } = await openPalette()
    await userEvent.type(input, 'gold')
    expect(options()).toEqual(['golden set', 'golden review', 'golden-7'])
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
    await waitFor(() =>
      expect(navigate).toHaveBeenCalledWith({
        to: '/o/$tenant/datasets/$datasetId/compare',
        params: { tenant: 't', datasetId: 'd1' },
        search: { selectedSessions: 'e1' },
      }),
    )
  })

  it('keeps the first item active while items arrive above it, until another one is chosen', async () => {
    const active = () => screen.getByRole('option', { selected: true }).textContent
    const arrive = (label: string) =>
      recentsPreference.write([{ kind: 'dataset', label, href: `/o/t/datasets/${label}` }, ...recentsPreference.read()])
    await openPalette()
    expect(active()).toBe('support')
    act(() => arrive('first'))
    await waitFor(() => expect(active()).toBe('first'))
    await userEvent.keyboard('{ArrowDown}')
    expect(active()).toBe('support')
    act(() => arrive('second'))
    expect(options().slice(0, 3)).toEqual(['second', 'first', 'support'])
    expect(active()).toBe('support')
  })

  it('offers only the reference when an id is pasted', async () => {
    const { input } = await openPalette()
    await userEvent.click(input)
    await userEvent.paste('0198c1b4-0000-7000-8000-000000000001')
    expect(options()).toEqual(['Open 0198c1b4-0000-7000-8000-000000000001'])
  })

  it('reports a search without results', async () => {
    const { input } = await openPalette()
    await userEvent.type(input, 'zzzzqqqq')
    expect(screen.getByText('No results')).toBeTruthy()
  })

  it('lists actions with the same label once and leaves out cursor movements and the keys of panes', () => {
    const run = () => undefined
    const groups: ShortcutGroup[] = [
      { scope: 'Global', shortcuts: [{ keys: 'mod+k', label: 'Search or jump', run }] },
      {
        scope: 'List',
        shortcuts: [
          { keys: ['j', 'arrowdown'], label: 'Next row', run },
          { keys: 't', label: 'Time range', run },
        ],
      },
      { scope: 'Run / trace', shortcuts: [{ keys: ['t', 'x'], label: 'Time range', run }] },
      { scope: 'Run / trace', shortcuts: [{ keys: 'enter', label: 'Expand or collapse', run }], pane: () => null },
    ]
    expect(listPageActions(groups).map((action) => [action.label, getFirstKey(action)])).toEqual([['Time range', 't']])
  })
})

// @vitest-environment happy-dom
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { ThreadsSearch } from '#lib/page-search.ts'
import { ShortcutProvider } from '#ui/shortcuts.tsx'
import { ThreadsPage } from './threads-page.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const START = '2026-01-01T00:00:00.000Z'
const items = Array.from({ length: 50 }, (_, index) => ({
  thread_id: `thread ${index}`,
  count: 1,
  first_inputs: '',
  last_outputs: '',
  min_start_time: START,
  max_start_time: START,
  num_errored_turns: 0,
  total_tokens: 0,
  feedback_stats: {},
}))

describe('the list of threads', () => {
  it('starts at the top again after a refresh', async () => {
    let answer = (_response: Response) => {}
    const second = new Promise<Response>((resolve) => {
      answer = resolve
    })
    const answers = [json({ items }), second]
    fakeApi({ 'POST /threads/query': () => answers.shift() ?? json({ items }) })
    const page = () => <ThreadsPage tenant="t" projectId="p" search={ThreadsSearch.parse({})} />
    const router = createRouter({ routeTree: createRootRoute({ component: page }), history: createMemoryHistory() })
    renderWithQueries(
      <ShortcutProvider>
        <RouterProvider router={router as never} />
      </ShortcutProvider>,
    )
    const grid = await screen.findByRole('grid', { name: 'Threads' })
    grid.scrollTop = 500
    fireEvent.scroll(grid)
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    await screen.findByRole('status', { name: 'Loading threads' })
    answer(json({ items }))
    expect((await screen.findByRole('grid', { name: 'Threads' })).scrollTop).toBe(0)
  })
})

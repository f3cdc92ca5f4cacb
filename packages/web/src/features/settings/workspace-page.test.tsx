// @vitest-environment happy-dom
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { Toasts } from '#ui/toast.tsx'
import { WorkspacePage } from './workspace-page.tsx'

afterEach(async () => {
  for (const button of screen.queryAllByRole('button', { name: 'Dismiss' })) await userEvent.click(button)
  cleanup()
  vi.unstubAllGlobals()
})

describe('the settings of a workspace', () => {
  it('rename it, in the list of workspaces too', async () => {
    let name = 'Research'
    const read = () => ({ id: 'w', display_name: name, tenant_handle: null, created_at: '2026-01-01T00:00:00Z' })
    const calls = fakeApi({
      'GET /me': () => json({ kind: 'person', role: 'admin' }),
      'GET /settings': () => json(read()),
      'GET /workspaces': () => json([read()]),
      'PATCH /workspaces/current': () => {
        name = 'Lab'
        return json(read())
      },
    })
    const countLists = () => calls.filter(({ path }) => path.endsWith('/workspaces')).length
    const root = createRootRoute({ component: WorkspacePage })
    const router = createRouter({ routeTree: root, history: createMemoryHistory() })
    renderWithQueries(
      <>
        <RouterProvider router={router as never} />
        <Toasts />
      </>,
    )
    const field = await screen.findByRole('textbox', { name: 'Name' })
    await waitFor(() => expect(countLists()).toBe(1))
    await userEvent.clear(field)
    await userEvent.type(field, 'Lab{Enter}')
    await screen.findByText('Saved workspace')
    await waitFor(() => expect(countLists()).toBe(2))
  })
})

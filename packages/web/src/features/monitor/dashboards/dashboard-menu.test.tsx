// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { Toasts } from '#ui/toast.tsx'
import { DashboardMenu } from './dashboard-menu.tsx'
import type { OpenDashboard } from './use-dashboard.ts'

afterEach(async () => {
  for (const button of screen.queryAllByRole('button', { name: 'Dismiss' })) await userEvent.click(button)
  cleanup()
  vi.unstubAllGlobals()
})

const DASHBOARD_ID = '7b1c3f0e-6a1d-4b6e-9d0b-0f4b5a1c2d3e'

/** Confirms the deletion, and closes the dialog before the server answers. */
async function deleteAndCloseDialog(response: Response) {
  let answer: (response: Response) => void = () => undefined
  const answered = new Promise<Response>((resolve) => {
    answer = resolve
  })
  const calls = fakeApi({
    'GET /me': () => json({ kind: 'user', role: 'member' }),
    'GET /dashboards': () => json([]),
    [`DELETE /${DASHBOARD_ID}`]: () => answered,
  })
  const onBoard = vi.fn()
  const dashboard = { id: DASHBOARD_ID, name: 'Latency', charts: [] } as unknown as OpenDashboard['dashboard']
  renderWithQueries(
    <>
      <DashboardMenu projectId="p" open={{ dashboard } as OpenDashboard} charts={[]} onBoard={onBoard} />
      <Toasts />
    </>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Dashboard: Latency' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete…' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(calls.map(({ method }) => method)).toContain('DELETE'))
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  answer(response)
  return { onBoard }
}

describe('deleting a dashboard whose dialog is closed before the server answers', () => {
  it('opens the built-in charts', async () => {
    const { onBoard } = await deleteAndCloseDialog(new Response(null, { status: 204 }))
    await screen.findByText('Latency deleted')
    expect(onBoard).toHaveBeenCalledWith(undefined)
  })

  it('reports a failure', async () => {
    const { onBoard } = await deleteAndCloseDialog(json({ detail: 'Dashboard is in use.' }, 409))
    await screen.findByText('Could not delete the dashboard')
    expect(onBoard).not.toHaveBeenCalled()
  })
})

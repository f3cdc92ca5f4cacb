// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { Toasts } from '#ui/toast.tsx'
import { DeleteUserData } from './delete-user-data.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const NOTHING = { runs: 0, traces: 0, projects: 0, feedback: 0, first_start_time: null, last_start_time: null }
const FOUND = {
  ...{ runs: 51, traces: 39, projects: 3, feedback: 4 },
  ...{ first_start_time: '2025-01-01T00:00:00.000000Z', last_start_time: '2030-01-01T00:00:00.000000Z' },
}

async function open(found: object) {
  const calls = fakeApi({
    'GET /me': () => json({ kind: 'local', id: null, role: 'admin' }),
    'POST /runs/delete': ({ body }) =>
      (body as { dry_run?: boolean }).dry_run
        ? json({ message: '', deleted_runs: 0, deletion_id: null, found }, 202)
        : json({ message: '', deleted_runs: 51, deletion_id: 'd' }, 202),
  })
  renderWithQueries(
    <>
      <DeleteUserData />
      <Toasts />
    </>,
  )
  return () => calls.filter(({ method }) => method === 'POST').map(({ body }) => body)
}

describe('deleting the data of a user', () => {
  it('counts in all projects first, and deletes after the number was typed', async () => {
    const sent = await open(FOUND)
    await userEvent.type(screen.getByLabelText('Value'), 'dan{Enter}')
    await screen.findByText(/39 traces with 51 runs in 3 projects, from .*2025.* to .*2030.*, and 4 feedback/)
    expect(sent()).toEqual([{ metadata: { user_id: ['dan'] }, dry_run: true }])
    await userEvent.click(screen.getByRole('button', { name: 'Delete 39 traces…' }))
    const confirm = await screen.findByRole<HTMLButtonElement>('button', { name: 'Delete 39 traces' })
    expect(confirm.disabled).toBe(true)
    await userEvent.type(screen.getByLabelText(/to confirm/), '39')
    await userEvent.click(confirm)
    await screen.findByText('Deleted 51 runs of dan')
    expect(sent()).toHaveLength(2)
    expect(sent()[1]).toEqual({ metadata: { user_id: ['dan'] } })
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Delete 39 traces…' })).toBeNull())
  })

  it('finds a number also where it was sent as a number, and drops the count when the value changes', async () => {
    const sent = await open(NOTHING)
    await userEvent.type(screen.getByLabelText('Value'), '42{Enter}')
    await screen.findByText('No run in any project has this metadata.')
    expect(sent()).toEqual([{ metadata: { user_id: ['42', 42] }, dry_run: true }])
    await userEvent.type(screen.getByLabelText('Value'), '1')
    expect(screen.queryByText('No run in any project has this metadata.')).toBeNull()
  })

  it.each(['9007199254740992', '107505301260286111', 'NaN', 'Infinity'])('sends %s as text', async (value) => {
    const sent = await open(NOTHING)
    await userEvent.type(screen.getByLabelText('Value'), `${value}{Enter}`)
    await screen.findByText('No run in any project has this metadata.')
    expect(sent()).toEqual([{ metadata: { user_id: [value] }, dry_run: true }])
  })
})

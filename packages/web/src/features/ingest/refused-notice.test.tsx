// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { Toasts } from '#ui/toast.tsx'
import { RefusedNotice } from './refused-notice.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const item = { at: '2026-11-27T05:00:00Z', id: 'r', reason: 'Cannot parse the time.' }

/** A server with so many refused runs, of which it refuses some again, and a caller with a role. */
function openWith(total: number, role: string, again = 0) {
  const retried: number[] = []
  let left = total
  fakeApi({
    'GET /me': () => json({ role }),
    'GET /ingest/refused': () => json({ total: left, items: left === 0 ? [] : [item] }),
    'POST /ingest/refused/retry': () => {
      retried.push(left)
      left = again
      return json({ accepted: total - again, refused: again })
    },
  })
  renderWithQueries(
    <>
      <RefusedNotice />
      <Toasts />
    </>,
  )
  return retried
}

describe('the notice of refused runs', () => {
  it('names the number and the reason, and stores them again for an admin', async () => {
    const retried = openWith(3, 'admin')
    await screen.findByText('3 accepted runs could not be stored.')
    screen.getByText('Cannot parse the time.')
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
    expect(retried).toEqual([3])
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Refused runs' })).toBeNull())
    screen.getByText('Stored 3 runs')
  })

  it('stays for what the store refuses again, with a message of how many were stored', async () => {
    openWith(3, 'admin', 1)
    await userEvent.click(await screen.findByRole('button', { name: 'Retry' }))
    await screen.findByText('1 accepted run could not be stored.')
    screen.getByText('Stored 2 runs; 1 refused again')
  })

  it('cannot be used by a member', async () => {
    const retried = openWith(1, 'member')
    await screen.findByText('1 accepted run could not be stored.')
    await screen.findByTitle('Only admins can store refused runs again.')
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
    expect(retried).toEqual([])
  })
})

// @vitest-environment happy-dom
import { useQuery } from '@tanstack/react-query'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { Toasts } from '#ui/toast.tsx'
import { MemberTable } from './member-table.tsx'
import { memberQuery } from './queries.ts'

afterEach(async () => {
  for (const button of screen.queryAllByRole('button', { name: 'Dismiss' })) await userEvent.click(button)
  cleanup()
  vi.unstubAllGlobals()
})

const ADA = { id: '7b1c3f0e-6a1d-4b6e-9d0b-0f4b5a1c2d3e', name: 'Ada', email: 'ada@example.org', role: 'admin' }
const GRACE = { id: '3f2a1c9e-5b7d-4e21-8c6f-1a2b3c4d5e6f', name: 'Grace', email: 'grace@example.org', role: 'member' }

function Page() {
  const members = useQuery(memberQuery.list())
  return (
    <>
      {members.data && <MemberTable members={members.data} meId={ADA.id} mayGovern />}
      <Toasts />
    </>
  )
}

/** Asks to remove Grace and confirms. */
async function removeGrace(remove: () => Response | Promise<Response>) {
  let members = [ADA, GRACE].map((member) => ({ ...member, last_seen_at: null, invite_count: 0, key_count: 0 }))
  fakeApi({
    'GET /members': () => json(members),
    [`DELETE /members/${GRACE.id}`]: async () => {
      const response = await remove()
      if (response.ok) members = members.filter(({ id }) => id !== GRACE.id)
      return response
    },
  })
  renderWithQueries(<Page />)
  await userEvent.click(await screen.findByRole('button', { name: 'Remove Grace' }))
  await userEvent.click(screen.getByRole('button', { name: 'Remove' }))
}

describe('removing a member', () => {
  it('removes them from the table', async () => {
    await removeGrace(() => new Response(null, { status: 204 }))
    await screen.findByText('Removed Grace')
    await waitFor(() => expect(screen.queryByText('grace@example.org')).toBeNull())
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('reports a failure, also when the dialog was closed before', async () => {
    let answer: (response: Response) => void = () => undefined
    await removeGrace(() => new Promise((resolve) => (answer = resolve)))
    await userEvent.keyboard('{Escape}')
    answer(json({ detail: 'Only admins can do this.' }, 403))
    await screen.findByText('Could not remove Grace')
    screen.getByText('grace@example.org')
  })
})

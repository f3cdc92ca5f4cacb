// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { InviteDialog, InviteList } from './invites.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const INVITE_ID = '7b1c3f0e-6a1d-4b6e-9d0b-0f4b5a1c2d3e'

describe('the dialog for an invitation', () => {
  it('creates a link for a role and an address', async () => {
    const invite = { token: 't', email: 'ada@example.org', role: 'admin' }
    const calls = fakeApi({ 'POST /invites': () => json(invite) })
    const onInvited = vi.fn()
    renderWithQueries(<InviteDialog onClose={() => undefined} onInvited={onInvited} />)
    await userEvent.click(screen.getByRole('radio', { name: /^Admin/ }))
    await userEvent.type(screen.getByLabelText('Email (optional)'), 'ada@example.org{Enter}')
    await waitFor(() => expect(onInvited).toHaveBeenCalled())
    expect(calls[0]?.body).toMatchObject({ role: 'admin', email: 'ada@example.org' })
  })

  it('shows a failure and keeps the form', async () => {
    fakeApi({ 'POST /invites': () => json({ detail: 'Only admins can invite.' }, 403) })
    const onInvited = vi.fn()
    renderWithQueries(<InviteDialog onClose={() => undefined} onInvited={onInvited} />)
    await userEvent.click(screen.getByRole('button', { name: 'Create link' }))
    await screen.findByText('Could not create the link')
    expect(onInvited).not.toHaveBeenCalled()
  })
})

describe('the list of invitations', () => {
  it('loses an invitation that was revoked', async () => {
    const invite = {
      id: INVITE_ID,
      email: 'ada@example.org',
      role: 'member',
      created_by_name: null,
      expires_at: '2026-01-08',
    }
    let invites = [invite]
    fakeApi({
      'GET /invites': () => json(invites),
      [`DELETE /invites/${INVITE_ID}`]: () => {
        invites = []
        return new Response(null, { status: 204 })
      },
    })
    renderWithQueries(<InviteList />)
    await userEvent.click(await screen.findByRole('button', { name: 'Revoke the invitation of ada@example.org' }))
    await waitFor(() => expect(screen.queryByText('ada@example.org')).toBeNull())
  })
})

// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const admin = () => json({ kind: 'person', id: 'p', role: 'admin' })
const submitButton = () => screen.getByRole('button', { name: 'Create key' }) as HTMLButtonElement

describe('the dialog for a new API key', () => {
  it('creates a key with its name and role on Ctrl+Enter', async () => {
    const created = { id: 'k', key: 'secret' }
    const calls = fakeApi({ 'GET /me': admin, 'POST /api-key': () => json(created) })
    const onCreated = vi.fn()
    renderWithQueries(<CreateKeyDialog isFirst={false} onClose={() => undefined} onCreated={onCreated} />)
    expect(submitButton().disabled).toBe(true)
    await userEvent.click(await screen.findByRole('radio', { name: /^Viewer/ }))
    await userEvent.type(screen.getByLabelText('Name'), ' ci ')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await waitFor(() => expect(onCreated).toHaveBeenCalledWith(expect.objectContaining(created), false))
    expect(calls.find(({ method }) => method === 'POST')?.body).toMatchObject({ description: 'ci', role: 'viewer' })
  })

  it('shows why the key could not be created, and can be submitted again', async () => {
    fakeApi({ 'GET /me': admin, 'POST /api-key': () => json({ detail: 'Too many keys' }, 403) })
    const onCreated = vi.fn()
    renderWithQueries(<CreateKeyDialog isFirst={false} onClose={() => undefined} onCreated={onCreated} />)
    await userEvent.type(screen.getByLabelText('Name'), 'ci')
    await userEvent.click(submitButton())
    await screen.findByText('Could not create the key')
    expect(submitButton().disabled).toBe(false)
    expect(onCreated).not.toHaveBeenCalled()
  })

  it('is disabled while the key is being created', async () => {
    fakeApi({ 'GET /me': admin, 'POST /api-key': () => new Promise(() => undefined) })
    renderWithQueries(<CreateKeyDialog isFirst={false} onClose={() => undefined} onCreated={() => undefined} />)
    await userEvent.type(screen.getByLabelText('Name'), 'ci')
    await userEvent.click(submitButton())
    await waitFor(() => expect(submitButton().disabled).toBe(true))
  })

  it('offers no roles for the first key, and closes on Escape', async () => {
    fakeApi({ 'GET /me': admin })
    const onClose = vi.fn()
    renderWithQueries(<CreateKeyDialog isFirst onClose={onClose} onCreated={() => undefined} />)
    expect(screen.queryByRole('radio')).toBeNull()
    await userEvent.keyboard('{Escape}')
    expect(onClose).toHaveBeenCalled()
  })
})

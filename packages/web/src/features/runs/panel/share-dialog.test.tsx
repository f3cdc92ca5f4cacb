// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Run } from '@touchstone/contract'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { ShareDialog } from './share-dialog.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const TOKEN = '7b1c3f0e-6a1d-4b6e-9d0b-0f4b5a1c2d3e'
const RUN_ID = '3f2a1c9e-5b7d-4e21-8c6f-1a2b3c4d5e6f'
const run = { id: RUN_ID, trace_id: RUN_ID, parent_run_id: null, name: 'answer' } as Run

function open(answers: Parameters<typeof fakeApi>[0], shared: Partial<Run> = {}) {
  const calls = fakeApi(answers)
  const onClose = vi.fn()
  renderWithQueries(<ShareDialog run={{ ...run, ...shared }} onClose={onClose} />)
  return { calls, onClose, findMethods: () => calls.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`) }
}

describe('the share dialog', () => {
  it('creates a public link and shows it', async () => {
    const { findMethods } = open({
      'GET /share': () => json(null),
      'PUT /share': () => json({ run_id: RUN_ID, share_token: TOKEN }),
    })
    const create = await screen.findByRole<HTMLButtonElement>('button', { name: 'Create public link' })
    await waitFor(() => expect(create.disabled).toBe(false))
    expect(screen.queryByLabelText('Public link')).toBeNull()
    await userEvent.click(create)
    const link = await screen.findByLabelText<HTMLInputElement>('Public link')
    expect(link.value).toContain(TOKEN)
    expect(findMethods()).toContain('PUT share')
  })

  it('revokes an existing link', async () => {
    const { findMethods } = open({
      'GET /share': () => json({ run_id: RUN_ID, share_token: TOKEN }),
      'DELETE /share': () => new Response(null, { status: 204 }),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Revoke link' }))
    await screen.findByRole('button', { name: 'Create public link' })
    expect(findMethods()).toContain('DELETE share')
    expect(screen.queryByLabelText('Public link')).toBeNull()
  })

  it('shows a failure and keeps the link', async () => {
    open({
      'GET /share': () => json({ run_id: RUN_ID, share_token: TOKEN }),
      'DELETE /share': () => json({ detail: 'Sharing is disabled.' }, 403),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Revoke link' }))
    await screen.findByText('Could not update the link')
    screen.getByLabelText('Public link')
  })

  it('explains that the parent of a child run stays private', async () => {
    open({ 'GET /share': () => json(null) }, { parent_run_id: TOKEN })
    await screen.findByText(/Parent and sibling runs stay private/)
  })

  it('closes by its buttons', async () => {
    const { onClose } = open({ 'GET /share': () => json({ run_id: RUN_ID, share_token: TOKEN }) })
    await userEvent.click(await screen.findByRole('button', { name: 'Done' }))
    expect(onClose).toHaveBeenCalled()
  })
})

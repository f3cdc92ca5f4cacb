// @vitest-environment happy-dom
import { useQuery } from '@tanstack/react-query'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { SavedView } from '@touchstone/sdk'
import { afterEach, expect, it, vi } from 'vitest'
import { fakeApi, json, renderOnPage } from '#lib/api/testing/fake-api.tsx'
import { isSameJson } from '#lib/changes.ts'
import { savedViewQuery } from '../../saved-view-queries.ts'
import { ViewList } from './view-list.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const PROJECT = '019f6d2a-0000-7000-8000-000000000004'
const ID = '019f6d2a-0000-7000-8000-000000000005'

it('shows both states of a view that was saved elsewhere, and overwrites it on request only', async () => {
  let stored = { id: ID, name: 'Slow', session_id: PROJECT, state: { t: '1h' }, is_personal: false } as SavedView
  fakeApi({
    'GET /ui/views': () => json([stored]),
    'GET /me': () => json({ kind: 'local', id: null, role: 'admin' }),
    [`PATCH /ui/views/${ID}`]: ({ body }) => {
      const { state, expected } = body as { state: object; expected: { state: object } }
      const detail = [{ loc: ['body', 'state'], msg: 'It was changed.', type: 'changed' }]
      if (!isSameJson(expected.state, stored.state)) return json({ detail }, 409)
      stored = { ...stored, state }
      return json(stored)
    },
  })
  function Page() {
    const { data: views, error } = useQuery(savedViewQuery.list(PROJECT))
    const props = { projectId: PROJECT, search: { t: '24h', scope: 'runs' } as never, views, error, onOpen: vi.fn() }
    return <ViewList {...props} current={views?.[0]} edited />
  }
  renderOnPage(<Page />)
  await screen.findByRole('button', { name: 'Save' })
  stored = { ...stored, state: { t: '30d' } }
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  const conflict = await screen.findByRole('alert', { name: 'Changed elsewhere while you were editing' })
  expect(conflict.textContent).toMatch(/Saved meanwhile.*t: 30d.*Yours.*t: 24h/)
  expect(stored.state).toEqual({ t: '30d' })
  await userEvent.click(screen.getByRole('button', { name: 'Save mine' }))
  await waitFor(() => expect(stored.state).toMatchObject({ t: '24h' }))
})

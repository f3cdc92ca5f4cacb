// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderOnPage } from '#lib/api/testing/fake-api.tsx'
import { isSameJson } from '#lib/changes.ts'
import { ProtectedTagsSection } from './prompt-settings.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

type Tags = readonly { name: string; least_role: string }[]
const ID = '019f6d2a-0000-7000-8000-000000000003'
const CONFLICT = { name: 'Changed elsewhere while you were editing' }

describe('protected tags that are changed elsewhere', () => {
  it('are not replaced: both lists are shown, and the user keeps one', async () => {
    let stored: Tags = [{ name: 'production', least_role: 'admin' }]
    const read = () => json({ id: ID, environments: stored, updated_at: null, updated_by_name: null })
    fakeApi({
      'GET /me': () => json({ kind: 'local', id: null, role: 'admin' }),
      'GET /hub/environments': read,
      [`PATCH /hub/environments/${ID}`]: ({ body }) => {
        const change = body as { environments: Tags; expected: { environments: Tags } }
        const detail = [{ loc: ['body', 'environments'], msg: 'It was changed.', type: 'changed' }]
        if (!isSameJson(change.expected.environments, stored)) return json({ detail }, 409)
        stored = change.environments
        return read()
      },
    })
    await renderOnPage(<ProtectedTagsSection />)
    const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
    await press('Protect another tag')
    await userEvent.type(screen.getByLabelText('Tag 2'), 'mine')
    stored = [...stored, { name: 'theirs', least_role: 'member' }]
    await press('Save')
    const conflict = await screen.findByRole('alert', CONFLICT)
    expect(conflict.textContent).toMatch(/Saved meanwhile.*theirs: Members.*Yours.*mine: Admins/)
    expect(stored.map(({ name }) => name)).toEqual(['production', 'theirs'])
    await press('Keep mine')
    await press('Save')
    await waitFor(() => expect(stored.map(({ name }) => name)).toEqual(['production', 'mine']))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Save' })).toBeNull())
  })
})

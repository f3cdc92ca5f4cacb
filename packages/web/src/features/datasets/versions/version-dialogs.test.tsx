// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { RestoreDialog, TagDialog } from './version-dialogs.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const DATASET = '018f0000-0000-7000-8000-000000000000'
const OLD = '2026-01-01T10:00:00.000Z'
const NEW = '2026-02-01T10:00:00.000Z'

describe('tagging a version', () => {
  const type = (tag: string) => fireEvent.change(screen.getByLabelText('Tag'), { target: { value: tag } })
  const submit = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

  it('sets a new tag at once', async () => {
    const onClose = vi.fn()
    const calls = fakeApi({
      'GET /versions': () => json([{ as_of: OLD, tags: ['production'] }]),
      'PUT /tags': () => json({ as_of: NEW, tags: ['prod'] }),
    })
    renderWithQueries(<TagDialog datasetId={DATASET} asOf={NEW} onClose={onClose} />)
    type('prod')
    submit('Tag')
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(calls.find(({ method }) => method === 'PUT')?.body).toEqual({ as_of: NEW, tag: 'prod' })
  })

  it('asks before a tag moves, and again after its name was changed', async () => {
    const calls = fakeApi({
      'GET /versions': () => json([{ as_of: OLD, tags: ['prod'] }]),
      'PUT /tags': () => json({ as_of: NEW, tags: ['prod'] }),
    })
    const onClose = vi.fn()
    renderWithQueries(<TagDialog datasetId={DATASET} asOf={NEW} onClose={onClose} />)
    type('prod')
    submit('Tag')
    await screen.findByText(/Programs that read prod will get other examples/)
    expect(calls.some(({ method }) => method === 'PUT')).toBe(false)
    type('staging')
    expect(screen.queryByRole('button', { name: 'Move tag' })).toBeNull()
    type('prod')
    submit('Tag')
    await screen.findByText(/Programs that read prod/)
    submit('Move tag')
    await waitFor(() => expect(onClose).toHaveBeenCalled())
  })

  it('refuses the tag that the server keeps', () => {
    fakeApi({})
    renderWithQueries(<TagDialog datasetId={DATASET} asOf={NEW} onClose={() => undefined} />)
    type('latest')
    expect(screen.getByRole('button', { name: 'Tag' })).toHaveProperty('disabled', true)
    expect(screen.getByText(/always names the newest version/)).toBeTruthy()
  })
})

describe('restoring a version', () => {
  it('counts what changes, then restores', async () => {
    const onClose = vi.fn()
    const calls = fakeApi({
      'GET /versions/diff': () => json({ examples_added: ['a'], examples_modified: ['b', 'c'], examples_removed: [] }),
      'GET /version': () => json({ as_of: NEW, tags: ['latest'] }),
      'POST /versions/restore': () => json({ as_of: NEW, added: 1, modified: 2, removed: 0 }),
    })
    renderWithQueries(<RestoreDialog datasetId={DATASET} asOf={OLD} onClose={onClose} />)
    await screen.findByText('The dataset gets one new version: 1 added, 2 modified.')
    fireEvent.click(screen.getByRole('button', { name: 'Restore' }))
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(calls.find(({ method }) => method === 'POST')?.body).toEqual({ as_of: OLD })
  })

  it('shows why it failed, and stays open', async () => {
    const onClose = vi.fn()
    fakeApi({
      'GET /versions/diff': () => json({ examples_added: [], examples_modified: ['b'], examples_removed: [] }),
      'GET /version': () => json({ as_of: NEW, tags: ['latest'] }),
      'POST /versions/restore': () => json({ detail: 'inputs.q: must be a string' }, 400),
    })
    renderWithQueries(<RestoreDialog datasetId={DATASET} asOf={OLD} onClose={onClose} />)
    await screen.findByText(/one new version/)
    fireEvent.click(screen.getByRole('button', { name: 'Restore' }))
    await screen.findByText(/must be a string/)
    expect(onClose).not.toHaveBeenCalled()
  })
})

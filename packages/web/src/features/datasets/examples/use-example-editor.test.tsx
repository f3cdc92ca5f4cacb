// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json } from '#lib/api/testing/fake-api.tsx'
import { dropKeptDrafts, setDraftOwner } from '#lib/draft-owner.ts'
import { startDraft } from './logic/example-draft.ts'
import type { StoredExample } from './logic/stored-example.ts'
import { saveExample } from './queries.ts'
import { type EditorOptions, useExampleEditor } from './use-example-editor.ts'

vi.mock('./queries.ts', { spy: true })

const FIRST: StoredExample = {
  id: 'example',
  datasetId: 'dataset',
  name: '#0001 @ qa',
  createdAt: '2026-01-01T00:00:00Z',
  modifiedAt: '2026-01-01T00:00:00Z',
  sourceRunId: null,
  splits: ['base'],
  files: [],
  inputs: '{"q": 1}',
  outputs: '',
  metadata: '{}',
}

const toOptions = (stored: StoredExample, change: Partial<EditorOptions> = {}): EditorOptions => ({
  datasetId: 'dataset',
  stored,
  saved: startDraft(stored),
  schemas: {},
  readOnly: false,
  ...change,
})

function open(options: EditorOptions) {
  const queryClient = new QueryClient()
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  )
  return renderHook(useExampleEditor, { wrapper, initialProps: options })
}

/** Whether a reload asks before it loses what is unsaved. */
const asksBeforeReload = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

afterEach(() => {
  const { result } = open(toOptions(FIRST))
  act(() => result.current.discard())
  cleanup()
  vi.mocked(saveExample).mockReset()
  vi.unstubAllGlobals()
})

/** The example as another tab has saved it; the first save of this one is refused. */
function givenChange(newest: StoredExample) {
  const { splits, metadata, ...rest } = newest
  const wire = {
    ...{ id: rest.id, dataset_id: rest.datasetId, name: rest.name, created_at: rest.createdAt, source_run_id: null },
    ...{ modified_at: rest.modifiedAt, inputs: JSON.parse(rest.inputs), outputs: null },
    metadata: { ...JSON.parse(metadata), dataset_split: splits },
  }
  fakeApi({ 'GET /examples/example': () => json(wire) })
  vi.mocked(saveExample).mockImplementation(async (_, saved) => {
    if (saved.modifiedAt !== newest.modifiedAt) throw Object.assign(new Error('changed'), { status: 409 })
  })
}

describe('an example that another tab has saved', () => {
  const LATER = { modifiedAt: '2026-01-02T00:00:00Z' }

  it('keeps both changes when they are of different fields', async () => {
    givenChange({ ...FIRST, ...LATER, splits: ['test'] })
    const { result } = open(toOptions(FIRST))
    act(() => result.current.change({ inputs: '{"q": 2}' }))
    act(() => result.current.submit())
    await waitFor(() => expect(result.current.isChanged).toBe(false))
    const [, saved, draft] = vi.mocked(saveExample).mock.calls.at(-1)!
    expect(saved).toMatchObject(LATER)
    expect(draft).toMatchObject({ inputs: '{"q": 2}', splits: ['test'] })
  })

  it('is not overwritten in a field that both have changed, until the user chooses', async () => {
    const newest = { ...FIRST, ...LATER, inputs: '{"q": 9}' }
    givenChange(newest)
    const { result, rerender } = open(toOptions(FIRST))
    act(() => result.current.change({ inputs: '{"q": 2}', splits: ['mine'] }))
    act(() => result.current.submit())
    await waitFor(() => expect(result.current.isSaving).toBe(false))
    expect(saveExample).toHaveBeenCalledOnce()
    rerender(toOptions(newest))
    expect(result.current).toMatchObject({ overtaken: ['inputs'], canSave: false, error: null })
    expect(result.current.draft.inputs).toBe('{"q": 2}')
    act(() => result.current.submit())
    expect(saveExample).toHaveBeenCalledOnce()

    act(() => result.current.change({ inputs: '{"q": 29}' }))
    expect(result.current.overtaken).toEqual(['inputs'])
    act(() => result.current.keepMine())
    await waitFor(() => expect(result.current.isChanged).toBe(false))
    expect(vi.mocked(saveExample).mock.calls.at(-1)?.[2]).toMatchObject({ inputs: '{"q": 29}', splits: ['mine'] })
  })

  it('can be taken, which leaves the other edits', async () => {
    const { result, rerender } = open(toOptions(FIRST))
    act(() => result.current.change({ inputs: '{"q": 2}', splits: ['mine'] }))
    rerender(toOptions({ ...FIRST, ...LATER, inputs: '{"q": 9}' }))
    expect(result.current.overtaken).toEqual(['inputs'])
    act(() => result.current.takeTheirs())
    expect(result.current).toMatchObject({ overtaken: [], canSave: true })
    expect(result.current.draft).toMatchObject({ inputs: '{"q": 9}', splits: ['mine'] })
  })

  it('is no conflict when both wrote the same, in other spaces', () => {
    const { result, rerender } = open(toOptions(FIRST))
    act(() => result.current.change({ inputs: '{"q":2}' }))
    rerender(toOptions({ ...FIRST, ...LATER, inputs: '{\n  "q": 2\n}' }))
    expect(result.current.overtaken).toEqual([])
  })
})

describe('the draft of an example', () => {
  it('follows the saved example in all fields that were not edited', () => {
    const { result, rerender } = open(toOptions(FIRST))
    act(() => result.current.change({ inputs: '{"q": 2}' }))
    rerender(toOptions({ ...FIRST, outputs: '{"a": 1}', splits: ['test'] }))
    expect(result.current.draft).toMatchObject({ inputs: '{"q": 2}', outputs: '{"a": 1}', splits: ['test'] })
  })

  it('is not shown with an old version, and cannot be saved there', () => {
    const { result, rerender } = open(toOptions(FIRST))
    act(() => result.current.change({ inputs: '{"q": 2}' }))
    rerender(toOptions({ ...FIRST, inputs: '{"q": 0}' }, { readOnly: true }))
    expect(result.current.draft.inputs).toBe('{"q": 0}')
    act(() => result.current.submit())
    expect(result.current.canSave).toBe(false)
    expect(saveExample).not.toHaveBeenCalled()
  })

  it('is guarded against a reload, also after its editor was closed', () => {
    const { result, unmount } = open(toOptions(FIRST))
    expect(asksBeforeReload()).toBe(false)
    act(() => result.current.change({ inputs: '{"q": 2}' }))
    unmount()
    expect(asksBeforeReload()).toBe(true)
  })

  it('ends when the last edit is taken back', () => {
    const { result } = open(toOptions(FIRST))
    act(() => result.current.change({ inputs: '{"q": 2}' }))
    act(() => result.current.change({ inputs: FIRST.inputs }))
    expect(result.current.isChanged).toBe(false)
    expect(asksBeforeReload()).toBe(false)
  })

  it('keeps what is edited while it is saved', async () => {
    let answer = () => {}
    vi.mocked(saveExample).mockImplementation(() => new Promise((resolve) => (answer = resolve)))
    const { result, rerender } = open(toOptions(FIRST))
    act(() => result.current.change({ inputs: '{"q": 2}', splits: ['test'] }))
    act(() => result.current.submit())
    await waitFor(() => expect(result.current.isSaving).toBe(true))
    act(() => result.current.change({ inputs: FIRST.inputs }))
    await act(async () => answer())
    rerender(toOptions({ ...FIRST, inputs: '{"q": 2}', splits: ['test'] }))
    await waitFor(() => expect(result.current.isSaving).toBe(false))
    expect(result.current.draft).toMatchObject({ inputs: FIRST.inputs, splits: ['test'] })
    expect(result.current.isChanged).toBe(true)
  })
})

describe('an example that is edited when the page is loaded again', () => {
  it('keeps its edits, what they are based on, and the choice to discard them', async () => {
    setDraftOwner({ userId: 'ada', workspaceId: 't' })
    const before = open(toOptions(FIRST))
    act(() => before.result.current.change({ outputs: '{"a": 2}' }))
    const kept = { ...sessionStorage }
    // The memory of the page is empty after a reload, and the storage is not.
    act(() => before.result.current.discard())
    cleanup()
    for (const [key, text] of Object.entries(kept)) sessionStorage.setItem(key, String(text))

    const theirs = { ...FIRST, outputs: '{"a": 3}', modifiedAt: '2026-01-02T00:00:00Z' }
    const { result } = open(toOptions(theirs))
    expect(result.current.draft.outputs).toBe('{"a": 2}')
    expect(result.current).toMatchObject({ isRestored: true, isChanged: true, overtaken: ['outputs'] })
    act(() => result.current.discard())
    expect(result.current).toMatchObject({ isRestored: false, isChanged: false })
    expect(sessionStorage).toHaveLength(0)
    dropKeptDrafts()
  })
})

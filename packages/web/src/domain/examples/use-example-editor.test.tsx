// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { saveExample } from '#data/examples.ts'
import { startDraft } from '#lib/datasets/example-draft.ts'
import type { StoredExample } from '#lib/datasets/stored-example.ts'
import { type EditorOptions, useExampleEditor } from './use-example-editor.ts'

vi.mock('#data/examples.ts', { spy: true })

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

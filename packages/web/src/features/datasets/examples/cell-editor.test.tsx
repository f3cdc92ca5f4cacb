// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toast } from '#ui/toast.tsx'
import { CellEditor } from './cell-editor.tsx'
import type { StoredExample } from './logic/stored-example.ts'
import { exampleQuery, saveExample } from './queries.ts'
import { readDraft, writeDraft } from './use-example-editor.ts'

vi.mock('./queries.ts', { spy: true })

const EXAMPLE: StoredExample = {
  id: 'example',
  datasetId: 'dataset',
  name: '#0001 @ qa',
  createdAt: '2026-01-01T00:00:00Z',
  modifiedAt: '2026-01-01T00:00:00Z',
  sourceRunId: null,
  splits: ['base'],
  files: [],
  inputs: '{"question": "Why?", "level": 7}',
  outputs: '',
  metadata: '{}',
}

const done = vi.spyOn(toast, 'done').mockImplementation(() => () => undefined)

function open(key: string) {
  const queryClient = new QueryClient()
  queryClient.setQueryData(exampleQuery.one('dataset', 'example').queryKey, EXAMPLE)
  const onClose = vi.fn()
  const cell = { exampleId: 'example', column: { section: 'inputs', key } as const }
  const { unmount } = render(
    <QueryClientProvider client={queryClient}>
      <CellEditor datasetId="dataset" cell={cell} schemas={{}} onClose={onClose} onOpen={vi.fn()} />
    </QueryClientProvider>,
  )
  return { onClose, unmount }
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement | HTMLTextAreaElement>(name)

async function type(name: string, text: string) {
  await userEvent.clear(field(name))
  await userEvent.type(field(name), text)
}

afterEach(() => {
  act(() => writeDraft('example', {}))
  cleanup()
  vi.mocked(saveExample).mockReset()
  done.mockClear()
})

describe('an edit of a cell', () => {
  it('stays a draft when the editor is closed with Escape, and goes on in the next one', async () => {
    const { onClose, unmount } = open('question')
    await type('question', 'Why not?')
    await userEvent.keyboard('{Escape}')
    expect(onClose).toHaveBeenCalledOnce()
    expect(readDraft('example')).toEqual({ inputs: expect.stringContaining('"Why not?"') })
    expect(done.mock.calls[0]?.[0]).toBe('Kept question as an unsaved change')
    unmount()
    open('question')
    expect(field('question').value).toBe('Why not?')
    act(() => done.mock.calls[0]?.[1]?.run())
    expect(field('question').value).toBe('Why?')
  })

  it('stays a draft when the page is left', async () => {
    const { unmount } = open('level')
    await type('level', '8')
    unmount()
    expect(window.dispatchEvent(new Event('beforeunload', { cancelable: true }))).toBe(false)
  })

  it('is kept open while its text is no value', async () => {
    const { onClose } = open('level')
    await type('level', 'seven')
    await userEvent.keyboard('{Escape}')
    expect(onClose).not.toHaveBeenCalled()
    screen.getByText(/This is not a number/)
  })

  it('is discarded by Cancel, and ends without a draft where nothing was changed', async () => {
    const { onClose } = open('question')
    await type('question', 'Why not?')
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(onClose).toHaveBeenCalledOnce()
    expect(readDraft('example')).toEqual({})
    await userEvent.keyboard('{Escape}')
    expect(done).not.toHaveBeenCalled()
  })

  it('is saved without a draft that stays', async () => {
    vi.mocked(saveExample).mockResolvedValue(undefined)
    const { onClose } = open('level')
    await type('level', '8')
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
    expect(vi.mocked(saveExample).mock.calls[0]?.[2].inputs).toContain('"level": 8')
    expect(readDraft('example')).toEqual({})
  })

  it('opens the example where its draft changes something else', () => {
    act(() => writeDraft('example', { metadata: '{"a": 1}' }))
    open('question')
    screen.getByText('This example has unsaved changes. Save or discard them first.')
  })
})

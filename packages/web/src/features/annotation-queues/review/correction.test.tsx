// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { AnnotationQueueItem, AnnotationQueueWithDetails } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { RunDocument } from '#features/traces/queries.ts'
import { renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { dropKeptDrafts, setDraftOwner } from '#lib/draft-owner.ts'
import { ShortcutProvider } from '#ui/shortcuts.tsx'
import { Toasts } from '#ui/toast.tsx'
import { Correction } from './correction.tsx'
import { CorrectionDrafts } from './logic/correction-drafts.ts'
import type { ReviewPlace } from './queries.ts'

afterEach(cleanup)

const item = { id: 'item', run_id: 'run' } as AnnotationQueueItem
const queue = { id: 'queue', default_dataset: null } as AnnotationQueueWithDetails
const aDocument = (outputs: string) =>
  ({
    run: { id: 'run' },
    readAt: 0,
    json: { fields: [{ key: 'outputs', kind: 'object', start: 0, end: 0 }], call: async () => outputs },
  }) as unknown as RunDocument

/** The correction of an item whose other drafts are given. */
function show(drafts: CorrectionDrafts<ReviewPlace>, outputs = '{"answer": "bad"}') {
  return renderWithQueries(
    <ShortcutProvider>
      <Correction
        tenant="t"
        item={item}
        queue={queue}
        document={aDocument(outputs)}
        authorId={null}
        records={[]}
        drafts={drafts}
        isReadOnly={false}
      />
      <Toasts />
    </ShortcutProvider>,
  )
}

async function open() {
  const write = vi.fn(async (_: ReviewPlace, _text: string) => {})
  const drafts = new CorrectionDrafts<ReviewPlace>(write)
  const { unmount } = show(drafts)
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Correct the output' })).toHaveProperty('disabled', false),
  )
  await userEvent.click(screen.getByRole('button', { name: 'Correct the output' }))
  await waitFor(() => expect(document.querySelector('.cm-content')).not.toBeNull())
  return { drafts, write, unmount }
}

const getEditor = () => screen.getByRole('textbox', { name: 'Corrected output' })

describe('the correction of an output', () => {
  it('is open with the typed text when its item comes again', async () => {
    const { drafts, unmount } = await open()
    act(() => drafts.type('item', '{"answer": "better"}'))
    unmount()
    show(drafts)
    await waitFor(() => expect(getEditor().textContent).toContain('better'))
  })

  it('is open with the typed text after the page was loaded again, until it is discarded', async () => {
    setDraftOwner({ userId: 'ada', workspaceId: 'w' })
    const { drafts, unmount } = await open()
    act(() => drafts.type('item', '{"answer": "better"}'))
    unmount()
    const afterReload = () => new CorrectionDrafts<ReviewPlace>(async () => {})
    const again = show(afterReload())
    await waitFor(() => expect(getEditor().textContent).toContain('better'))
    screen.getByText('Draft restored')
    await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
    again.unmount()
    show(afterReload())
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Correct the output' })).toHaveProperty('disabled', false),
    )
    expect(screen.queryByText('Draft restored')).toBeNull()
    dropKeptDrafts()
  })

  it('asks for a change, with the focus, when an invalid text keeps the reviewer', async () => {
    const { drafts } = await open()
    act(() => drafts.type('item', '{"answer": '))
    act(() => screen.getByRole('button', { name: 'Cancel' }).focus())
    act(() => void drafts.accept('item'))
    screen.getByText('The correction cannot be saved like this. Fix it, or cancel it.')
    expect(document.activeElement).toBe(getEditor())
    act(() => drafts.type('item', '{"answer": 1}'))
    expect(screen.queryByText(/cannot be saved like this/)).toBeNull()
  })

  it('can be brought back after it was cancelled', async () => {
    const { drafts } = await open()
    act(() => drafts.type('item', '{"answer": "better"}'))
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('textbox')).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
    expect(drafts.store.read().get('item')?.text).toBe('{"answer": "better"}')
  })

  it('is saved and closed', async () => {
    const { drafts, write } = await open()
    act(() => drafts.type('item', '{"answer": "better"}'))
    await userEvent.click(screen.getByRole('button', { name: 'Save the correction' }))
    await waitFor(() => expect(screen.queryByRole('textbox')).toBeNull())
    expect(write.mock.calls.map(([, text]) => text)).toEqual(['{"answer": "better"}'])
  })

  it.each([
    ['messages', '{"messages": [{"role": "assistant", "content": "bad"}]}'],
    ['one message', '{"role": "assistant", "content": "bad"}'],
  ])('is edited message by message when the output is %s', async (_, outputs) => {
    const drafts = new CorrectionDrafts<ReviewPlace>(async () => {})
    show(drafts, outputs)
    const correct = screen.getByRole('button', { name: 'Correct the output' })
    await waitFor(() => expect(correct).toHaveProperty('disabled', false))
    await userEvent.click(correct)
    const content = screen.getByLabelText<HTMLTextAreaElement>('Content of message 1')
    expect(document.activeElement).toBe(content)
    await userEvent.clear(content)
    await userEvent.type(content, 'better')
    expect(JSON.parse(drafts.store.read().get('item')!.text)).toEqual(JSON.parse(outputs.replace('bad', 'better')))
    await userEvent.click(screen.getByRole('radio', { name: 'JSON' }))
    await waitFor(() => expect(getEditor().textContent).toContain('better'))
    await userEvent.click(screen.getByRole('radio', { name: 'Form' }))
    await userEvent.click(screen.getByLabelText('Content of message 1'))
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await waitFor(() => expect(drafts.store.read().size).toBe(0))
  })
  it('is not saved while a field of its form is invalid', async () => {
    const write = vi.fn(async (_: ReviewPlace, _text: string) => {})
    const drafts = new CorrectionDrafts<ReviewPlace>(write)
    show(drafts, '{"messages": [{"role": "assistant", "content": "bad", "seed": 1}], "score": 3}')
    const correct = screen.getByRole('button', { name: 'Correct the output' })
    await waitFor(() => expect(correct).toHaveProperty('disabled', false))
    await userEvent.click(correct)
    const isDisabled = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save the correction' }).disabled
    await userEvent.click(screen.getByRole('button', { name: 'seed' }))
    for (const name of ['seed', 'score']) {
      const field = screen.getByLabelText<HTMLInputElement>(name)
      await userEvent.type(field, 'x')
      expect(isDisabled()).toBe(true)
      act(() => expect(drafts.accept('item')).toBe(false))
      expect(document.activeElement).toBe(field)
      expect(await drafts.flush({ item } as ReviewPlace)).toBe(false)
      await userEvent.keyboard('{Backspace}')
      expect(isDisabled()).toBe(false)
      expect(drafts.accept('item')).toBe(true)
    }
    expect(write).not.toHaveBeenCalled()
    await userEvent.type(screen.getByLabelText('score'), 'x')
    await userEvent.click(screen.getByRole('button', { name: 'Remove score from Corrected output' }))
    expect(isDisabled()).toBe(false)
  })
})

// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { ConfigDialog } from './config-dialog.tsx'
import { newConfigDraft } from './config-draft.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function open(key = '') {
  const onClose = vi.fn()
  renderWithQueries(<ConfigDialog start={newConfigDraft(key)} onClose={onClose} />)
  return { onClose, create: () => userEvent.click(screen.getByRole('button', { name: 'Create' })) }
}

describe('the dialog of a feedback key', () => {
  it('sends nothing while a field is invalid, and names the field', async () => {
    const calls = fakeApi({})
    const { create } = open()
    await userEvent.clear(screen.getByLabelText('Maximum'))
    await userEvent.type(screen.getByLabelText('Maximum'), 'many')
    await create()
    screen.getByText('Enter a key.')
    screen.getByText('must be a number')
    expect(calls).toEqual([])
  })

  it('saves a range and closes', async () => {
    const calls = fakeApi({ 'POST /feedback-configs': () => json({ feedback_key: 'tone' }) })
    const { onClose, create } = open('tone')
    await create()
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(calls[0]?.body).toMatchObject({
      feedback_key: 'tone',
      feedback_config: { type: 'continuous', min: 0, max: 1 },
    })
  })

  it('adds and removes categories', async () => {
    const calls = fakeApi({ 'POST /feedback-configs': () => json({ feedback_key: 'tone' }) })
    const { create } = open('tone')
    await userEvent.click(screen.getByRole('radio', { name: 'Category' }))
    await userEvent.click(screen.getByRole('button', { name: 'Add category' }))
    await userEvent.type(screen.getByLabelText('Label of category 3'), 'maybe')
    await userEvent.click(screen.getByRole('button', { name: 'Remove category 1' }))
    await create()
    await waitFor(() => expect(calls).not.toEqual([]))
    expect(calls[0]?.body).toMatchObject({
      feedback_config: {
        type: 'categorical',
        categories: [
          { value: 0, label: 'no' },
          { value: 2, label: 'maybe' },
        ],
      },
    })
  })

  it('shows a failure and stays open', async () => {
    fakeApi({ 'POST /feedback-configs': () => json({ detail: 'The key exists.' }, 409) })
    const { onClose, create } = open('tone')
    await create()
    await screen.findByText('Could not save the feedback key')
    expect(onClose).not.toHaveBeenCalled()
  })
})

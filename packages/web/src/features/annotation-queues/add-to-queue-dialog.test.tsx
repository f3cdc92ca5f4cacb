// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderOnPage } from '#lib/api/testing/fake-api.tsx'
import { Toasts } from '#ui/toast.tsx'
import { AddToQueueDialog } from './add-to-queue-dialog.tsx'
import { addToQueue } from './queries.ts'

vi.mock('./queries.ts', { spy: true })

afterEach(() => {
  cleanup()
  localStorage.clear()
  vi.unstubAllGlobals()
  vi.mocked(addToQueue).mockReset()
})

/** Starts to add a run to the queue "triage". */
async function submit(add: () => Promise<string>) {
  fakeApi({ 'GET /annotation-queues': () => json([]) })
  vi.mocked(addToQueue).mockImplementation(add)
  const onClose = vi.fn()
  const { router } = await renderOnPage(
    <>
      <AddToQueueDialog what={{ runIds: ['run'] }} onClose={onClose} />
      <Toasts />
    </>,
  )
  await userEvent.clear(queueField())
  await userEvent.type(queueField(), 'triage')
  await userEvent.click(screen.getByRole('button', { name: 'Add run' }))
  return { onClose, router }
}

/** Its label includes the hint about new queues. */
const queueField = () => screen.getByLabelText(/^Queue/)

describe('adding a run to an annotation queue', () => {
  it('adds it to the queue of this name, which the message opens', async () => {
    const { onClose, router } = await submit(async () => 'queue-1')
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(vi.mocked(addToQueue).mock.calls[0]?.slice(1)).toEqual(['triage', { runIds: ['run'] }])
    // The dialog of this test stays open and hides the message from screen readers.
    await userEvent.click(screen.getByText('Open queue'), { pointerEventsCheck: 0 })
    await waitFor(() => expect(router.state.location.pathname).toMatch(/annotation-queues\/queue-1$/))
  })

  it('remembers the queue that was saved, not what is typed while it is saved', async () => {
    let finish: (queueId: string) => void = () => undefined
    const { onClose } = await submit(() => new Promise((resolve) => (finish = resolve)))
    await userEvent.type(queueField(), ' 2')
    finish('queue-1')
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(localStorage.getItem('touchstone.last-queue')).toBe('"triage"')
  })

  it('shows a failure and stays open', async () => {
    const { onClose } = await submit(() => Promise.reject(new Error('The queue is full.')))
    await screen.findByText('Could not add to the queue')
    expect(onClose).not.toHaveBeenCalled()
  })
})

// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { addToQueue } from '#data/queues.ts'
import { fakeApi, json, renderWithQueries } from '#data/testing/fake-api.tsx'
import { AddToQueueDialog } from './add-to-queue-dialog.tsx'

vi.mock('#data/queues.ts', { spy: true })

afterEach(() => {
  cleanup()
  localStorage.clear()
  vi.unstubAllGlobals()
  vi.mocked(addToQueue).mockReset()
})

/** Starts to add a run to the queue "triage". */
async function submit(add: () => Promise<void>) {
  fakeApi({ 'GET /annotation-queues': () => json([]) })
  vi.mocked(addToQueue).mockImplementation(add)
  const onClose = vi.fn()
  renderWithQueries(<AddToQueueDialog what={{ runIds: ['run'] }} onClose={onClose} />)
  await userEvent.clear(queueField())
  await userEvent.type(queueField(), 'triage')
  await userEvent.click(screen.getByRole('button', { name: 'Add run' }))
  return { onClose }
}

/** Its label includes the hint about new queues. */
const queueField = () => screen.getByLabelText(/^Queue/)

describe('adding a run to an annotation queue', () => {
  it('adds it to the queue of this name', async () => {
    const { onClose } = await submit(async () => undefined)
    await vi.waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(vi.mocked(addToQueue).mock.calls[0]?.slice(1)).toEqual(['triage', { runIds: ['run'] }])
  })

  it('remembers the queue that was saved, not what is typed while it is saved', async () => {
    let finish: () => void = () => undefined
    const { onClose } = await submit(() => new Promise((resolve) => (finish = resolve)))
    await userEvent.type(queueField(), ' 2')
    finish()
    await vi.waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(localStorage.getItem('touchstone.last-queue')).toBe('"triage"')
  })

  it('shows a failure and stays open', async () => {
    const { onClose } = await submit(() => Promise.reject(new Error('The queue is full.')))
    await screen.findByText('Could not add to the queue')
    expect(onClose).not.toHaveBeenCalled()
  })
})

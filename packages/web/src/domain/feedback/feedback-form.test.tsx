// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { FeedbackConfigSchema } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FeedbackForm } from './feedback-form.tsx'

afterEach(cleanup)

const common = { tenant_id: 't', modified_at: '2026-01-01T00:00:00Z' }
const configs: FeedbackConfigSchema[] = [
  {
    ...common,
    feedback_key: 'tone',
    feedback_config: { type: 'categorical', categories: [{ value: 1, label: 'kind' }] },
  },
  { ...common, feedback_key: 'quality', feedback_config: { type: 'continuous', min: 0, max: 1 } },
]

function open(onSave = vi.fn(async () => undefined)) {
  const onCancel = vi.fn()
  render(<FeedbackForm configs={configs} action="Save" onSave={onSave} onCancel={onCancel} />)
  return { onSave, onCancel }
}

describe('the feedback form', () => {
  it('asks for a category of a categorical key before it saves', async () => {
    const { onSave } = open()
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    screen.getByText('Select a category.')
    await userEvent.click(screen.getByRole('button', { name: /kind/ }))
    await userEvent.type(screen.getByLabelText('Comment'), 'Fine.{Control>}{Enter}{/Control}')
    expect(onSave).toHaveBeenCalledWith({ key: 'tone', score: 1, value: 'kind', comment: 'Fine.' })
  })

  it('rejects a score outside of the range', async () => {
    const { onSave } = open()
    await userEvent.clear(screen.getByLabelText('Key'))
    await userEvent.type(screen.getByLabelText('Key'), 'quality')
    await userEvent.type(screen.getByLabelText('Exact score'), '7')
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    screen.getByText('The score must be at most 1.')
    expect(onSave).not.toHaveBeenCalled()
  })

  it('shows a failure, and cancels on Escape', async () => {
    const { onCancel } = open(vi.fn(async () => Promise.reject(new Error('offline'))))
    await userEvent.click(screen.getByRole('button', { name: /kind/ }))
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText('Could not save the feedback')
    await userEvent.type(screen.getByLabelText('Comment'), '{Escape}')
    expect(onCancel).toHaveBeenCalled()
  })
})

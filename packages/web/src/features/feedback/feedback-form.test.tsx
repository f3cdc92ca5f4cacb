// @vitest-environment happy-dom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Feedback, FeedbackConfigSchema } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { dropKeptDrafts, setDraftOwner } from '#lib/draft-owner.ts'
import { FeedbackForm } from './feedback-form.tsx'
import { FeedbackList } from './feedback-list.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const common = { tenant_id: 't', modified_at: '2026-01-01T00:00:00Z' }
const configs: FeedbackConfigSchema[] = [
  {
    ...common,
    feedback_key: 'tone',
    feedback_config: { type: 'categorical', categories: [{ value: 1, label: 'kind' }] },
  },
  { ...common, feedback_key: 'quality', feedback_config: { type: 'continuous', min: 0, max: 1 } },
]

function open(onSave = vi.fn(async () => undefined), known = configs) {
  const onCancel = vi.fn()
  render(<FeedbackForm configs={known} about="run 1" action="Save" onSave={onSave} onCancel={onCancel} />)
  return { onSave, onCancel }
}

describe('the feedback form', () => {
  it('asks for a category of a categorical key before it saves', async () => {
    const { onSave } = open()
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    screen.getByText('Select a category.')
    await userEvent.click(screen.getByRole('button', { name: /kind/ }))
    await userEvent.type(screen.getByLabelText('Comment'), 'Fine.{Control>}{Enter}{/Control}')
    expect(onSave).toHaveBeenCalledWith({ key: 'tone', score: 1, value: 'kind', comment: 'Fine.' }, undefined)
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

  it('keeps what was entered until it is saved or canceled, also when the page is loaded again', async () => {
    setDraftOwner({ userId: 'ada', workspaceId: 'w' })
    open()
    await userEvent.click(screen.getByRole('button', { name: /kind/ }))
    await userEvent.type(screen.getByLabelText('Comment'), 'Long thoughts.')
    cleanup()
    const { onSave } = open()
    screen.getByText('Draft restored')
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    expect(onSave).toHaveBeenCalledWith({ key: 'tone', score: 1, value: 'kind', comment: 'Long thoughts.' }, undefined)
    cleanup()
    open()
    expect(screen.queryByText('Draft restored')).toBeNull()
    await userEvent.type(screen.getByLabelText('Comment'), 'Nothing.{Escape}')
    cleanup()
    open()
    expect(screen.getByLabelText('Comment')).toHaveProperty('value', '')
    dropKeptDrafts()
  })

  it('has no conflict when the suggested key is another one after the page was loaded again', async () => {
    setDraftOwner({ userId: 'ada', workspaceId: 'w' })
    open()
    await userEvent.clear(screen.getByLabelText('Key'))
    await userEvent.type(screen.getByLabelText('Key'), 'helpful')
    cleanup()
    open(vi.fn(), configs.slice(1))
    expect(screen.getByLabelText('Key')).toHaveProperty('value', 'helpful')
    expect(screen.queryByText(/Changed elsewhere/)).toBeNull()
    dropKeptDrafts()
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

const RUN = '019f6d2a-0000-7000-8000-000000000001'
const ID = '019f6d2a-0000-7000-8000-000000000002'

/** A list with one record that others change by `elsewhere`, and the changes that were sent. */
async function openList(fields: Partial<Feedback> = {}) {
  let stored = { id: ID, run_id: RUN, key: 'help', score: 1, value: null, comment: 'Base', correction: null, ...fields }
  const changes: object[] = []
  fakeApi({
    'GET /feedback': () => json([stored]),
    [`GET /feedback/${ID}`]: () => json(stored),
    'GET /feedback-configs': () => json([]),
    'GET /me': () => json({ role: 'member' }),
    'POST /runs/query': () => json({ runs: [] }),
    [`PATCH /feedback/${ID}`]: ({ body }) => {
      const { expected, ...change } = body as { expected: Record<string, unknown> }
      const current = stored as Record<string, unknown>
      const changed = Object.keys(expected).filter((field) => expected[field] !== current[field])
      if (changed.length > 0) {
        const detail = changed.map((field) => ({ loc: ['body', field], msg: 'It was changed.', type: 'changed' }))
        return json({ detail }, 409)
      }
      changes.push(body as object)
      stored = { ...stored, ...change }
      return json(stored)
    },
  })
  renderWithQueries(<FeedbackList target={{ runId: RUN }} adding={false} onAdding={vi.fn()} whenEmpty="None" />)
  await userEvent.click(await screen.findByRole('button', { name: /^(Edit|Correct) help/ }))
  const type = async (label: string, text: string) => {
    await userEvent.clear(screen.getByLabelText(label))
    await userEvent.type(screen.getByLabelText(label), text)
  }
  const save = () => userEvent.click(screen.getByRole('button', { name: /^(Save|Correct)$/ }))
  const elsewhere = (change: Partial<typeof stored>) => {
    stored = { ...stored, ...change }
  }
  return { changes, type, save, elsewhere, stored: () => stored }
}

describe('feedback that is changed elsewhere', () => {
  it('is not overwritten: both comments are shown, and the user keeps one', async () => {
    const { changes, type, save, elsewhere, stored } = await openList()
    elsewhere({ comment: 'Theirs' })
    await type('Comment', 'Mine')
    await save()
    const conflict = await screen.findByRole('alert', { name: 'Changed elsewhere while you were editing' })
    expect(conflict.textContent).toMatch(/Saved meanwhile.*Theirs.*Yours.*Mine/)
    expect(stored().comment).toBe('Theirs')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true)

    await userEvent.click(screen.getByRole('button', { name: 'Save mine' }))
    await screen.findByRole('article', { name: 'Feedback help' })
    expect(changes).toEqual([{ comment: 'Mine', expected: { comment: 'Theirs' } }])
  })

  it('is taken over on request, and other edits stay', async () => {
    const { changes, type, save, elsewhere } = await openList()
    elsewhere({ score: 0.5 })
    await type('Comment', 'Mine')
    await type('Score', '0')
    await save()
    await userEvent.click(await screen.findByRole('button', { name: 'Take what was saved' }))
    expect(screen.queryByRole('alert')).toBeNull()
    expect(screen.getByLabelText<HTMLInputElement>('Score').value).toBe('0.5')
    await save()
    await screen.findByRole('article', { name: 'Feedback help' })
    expect(changes).toEqual([{ comment: 'Mine', expected: { comment: 'Base' } }])
  })

  it('keeps a change of another field', async () => {
    const { changes, type, save, elsewhere, stored } = await openList()
    elsewhere({ score: 0 })
    await type('Comment', 'Mine')
    await save()
    await waitFor(() => expect(changes).toEqual([{ comment: 'Mine', expected: { comment: 'Base' } }]))
    expect(stored()).toMatchObject({ score: 0, comment: 'Mine' })
  })

  it('does not lose a correction that came in between', async () => {
    const { changes, type, save, elsewhere } = await openList({
      feedback_source: { type: 'model' },
    } as Partial<Feedback>)
    elsewhere({ correction: 'It was Monday.' as never })
    await type('Score', '0')
    await save()
    await screen.findByText('Could not save the feedback')
    expect(changes).toEqual([])
  })

  it('does not lose a correction that came in between with another comment', async () => {
    const { changes, type, save, elsewhere } = await openList({
      feedback_source: { type: 'model' },
    } as Partial<Feedback>)
    elsewhere({ correction: 'It was Monday.' as never, comment: 'Theirs' })
    await type('Score', '0')
    await save()
    await screen.findByText('Could not save the feedback')
    expect(changes).toEqual([])
  })
})

// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ModelPrice } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { isSameJson } from '#lib/changes.ts'
import { PriceDialog } from './price-dialog.tsx'
import { newPriceDraft, toPriceDraft } from './price-draft.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const submit = () => userEvent.click(screen.getByRole('button', { name: 'Add price' }))

describe('the dialog of a model price', () => {
  it('requires prices for input and output', async () => {
    const calls = fakeApi({})
    renderWithQueries(
      <PriceDialog start={newPriceDraft('gpt-x')} onClose={() => undefined} onSaved={() => undefined} />,
    )
    await userEvent.type(screen.getByLabelText('Output'), 'ten')
    await submit()
    expect(screen.getAllByText('Enter dollars, for example 2.50.')).toHaveLength(2)
    expect(calls).toEqual([])
  })

  it('keeps prices that were saved elsewhere, and asks about the one that is edited', async () => {
    let stored = {
      ...{ name: 'gpt-x', match_pattern: '^gpt-x$', match_path: ['model'], provider: null, start_time: null },
      ...{ prompt_cost: '0.000001', completion_cost: '0.000002', prompt_cost_details: null },
      ...{ completion_cost_details: null, built_in: false, source: null },
      id: '00000000-0000-4000-8000-000000000009',
    } as ModelPrice
    const read = stored
    fakeApi({
      'GET /model-price-map': () => json([stored]),
      [`PUT /model-price-map/${stored.id}`]: ({ body }) => {
        const { expected, ...price } = body as { expected: ModelPrice }
        const fields = Object.keys(expected) as (keyof ModelPrice)[]
        const changed = fields.filter((field) => !isSameJson(expected[field], stored[field]))
        const detail = changed.map((field) => ({ loc: ['body', field], msg: 'It was changed.', type: 'changed' }))
        if (changed.length > 0) return json({ detail }, 409)
        stored = { ...stored, ...price }
        return json(stored)
      },
    })
    const onClose = vi.fn()
    renderWithQueries(
      <PriceDialog start={toPriceDraft(read)} replaces={read} onClose={onClose} onSaved={() => undefined} />,
    )
    await userEvent.clear(screen.getByLabelText('Input'))
    await userEvent.type(screen.getByLabelText('Input'), '5')
    stored = { ...stored, prompt_cost: '0.000003', completion_cost: '0.000004' }
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    const conflict = await screen.findByRole('alert', { name: 'Changed elsewhere while you were editing' })
    expect(conflict.textContent).toMatch(/Input.*Saved meanwhile.*3.*Yours.*5/)
    expect(conflict.textContent).not.toContain('Output')
    expect(screen.getByLabelText<HTMLInputElement>('Output').value).toBe('4')
    stored = { ...stored, name: 'renamed' }
    await userEvent.click(screen.getByRole('button', { name: 'Save mine' }))
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(stored).toMatchObject({ name: 'renamed', prompt_cost: '0.000005', completion_cost: '0.000004' })
  })

  it('sends dollars per token and a pattern that matches only the model', async () => {
    const calls = fakeApi({ 'POST /model-price-map': () => json({ id: 'new', name: 'gpt-x.1' }) })
    const [onClose, onSaved] = [vi.fn(), vi.fn()]
    renderWithQueries(<PriceDialog start={newPriceDraft('gpt-x.1')} onClose={onClose} onSaved={onSaved} />)
    await userEvent.type(screen.getByLabelText('Input'), '2.50')
    await userEvent.type(screen.getByLabelText('Output'), '10')
    await submit()
    await waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(onSaved).toHaveBeenCalledWith({ id: 'new', name: 'gpt-x.1' })
    expect(calls[0]?.body).toMatchObject({
      match_pattern: '^gpt-x\\.1$',
      prompt_cost: '0.0000025',
      completion_cost: '0.00001',
    })
  })
})

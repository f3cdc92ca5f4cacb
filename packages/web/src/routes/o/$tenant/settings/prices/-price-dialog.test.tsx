// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeApi, json, renderWithQueries } from '#data/testing/fake-api.tsx'
import { PriceDialog } from './-price-dialog.tsx'
import { newPriceDraft } from './-price-draft.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const submit = () => userEvent.click(screen.getByRole('button', { name: 'Add price' }))

describe('the dialog of a model price', () => {
  it('requires prices for input and output', async () => {
    const calls = fakeApi({})
    renderWithQueries(<PriceDialog start={newPriceDraft('gpt-x')} onClose={() => undefined} />)
    await userEvent.type(screen.getByLabelText('Output'), 'ten')
    await submit()
    expect(screen.getAllByText('Enter dollars, for example 2.50.')).toHaveLength(2)
    expect(calls).toEqual([])
  })

  it('sends dollars per token and a pattern that matches only the model', async () => {
    const calls = fakeApi({ 'POST /model-price-map': () => json({}) })
    const onClose = vi.fn()
    renderWithQueries(<PriceDialog start={newPriceDraft('gpt-x.1')} onClose={onClose} />)
    await userEvent.type(screen.getByLabelText('Input'), '2.50')
    await userEvent.type(screen.getByLabelText('Output'), '10')
    await submit()
    await vi.waitFor(() => expect(onClose).toHaveBeenCalled())
    expect(calls[0]?.body).toMatchObject({
      match_pattern: '^gpt-x\\.1$',
      prompt_cost: '0.0000025',
      completion_cost: '0.00001',
    })
  })
})

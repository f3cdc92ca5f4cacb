// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ModelPrice } from '@touchstone/sdk'
import { afterEach, describe, expect, it } from 'vitest'
import { groupPrices } from './model-prices.ts'
import { PriceTable } from './price-tables.tsx'

afterEach(cleanup)

const SOURCE = 'https://developers.openai.com/api/docs/pricing'

function aPrice(name: string, fields: Partial<ModelPrice> = {}): ModelPrice {
  return {
    ...{ id: `${name} ${fields.start_time}`, name, match_pattern: `^${name}$`, match_path: ['model'], provider: null },
    ...{ start_time: null, prompt_cost: '0.000001', completion_cost: '0.000002', prompt_cost_details: null },
    ...{ completion_cost_details: null, built_in: true, source: `${SOURCE}, by LiteLLM 1.110.2, read on 2026-11-27` },
    ...fields,
  }
}

describe('the table of prices', () => {
  it('shows where each price was read, and since when it holds', async () => {
    const prices = [
      aPrice('gpt-x', { prompt_cost_details: { flex: '0.0000005' } }),
      aPrice('gpt-x', { start_time: '2026-03-01T00:00:00.000000Z' }),
    ]
    render(<PriceTable label="Built-in prices" families={groupPrices(prices)} hasHeadings />)
    await userEvent.click(screen.getByRole('button', { name: 'gpt-x 2 prices' }))
    expect(screen.getByText(/^from 2026-03-01/)).toBeTruthy()
    expect(screen.getByText(/^before 2026-03-01/)).toBeTruthy()
    expect(screen.getByText(/input flex \$0\.5/)).toBeTruthy()
    const links = screen.getAllByRole('link', { name: 'developers.openai.com/api/docs/pricing' })
    expect(links.map((link) => link.getAttribute('href'))).toEqual([SOURCE, SOURCE])
    expect(screen.getAllByText(/by LiteLLM 1\.110\.2, read on 2026-11-27/)).toHaveLength(2)
  })

  it('shows since when a price of the workspace is valid', async () => {
    const own = { built_in: false, source: null, start_time: '2026-05-01T00:00:00.000000Z' }
    render(<PriceTable label="Custom prices" families={groupPrices([aPrice('mine', own)])} />)
    await userEvent.click(screen.getByRole('button', { name: 'mine' }))
    expect(screen.getByText(/^from 2026-05-01/)).toBeTruthy()
    expect(screen.getByText('Source: entered in this workspace')).toBeTruthy()
  })

  it('shows the first models of a family until all of them are wanted', async () => {
    const prices = Array.from({ length: 25 }, (_, at) => aPrice(`gpt-${at}`))
    render(<PriceTable label="Built-in prices" families={groupPrices(prices)} familyLimit={10} hasHeadings />)
    expect(screen.getAllByRole('button', { name: /^gpt-/ })).toHaveLength(10)
    await userEvent.click(screen.getByRole('button', { name: 'Show all 25 models of OpenAI' }))
    expect(screen.getAllByRole('button', { name: /^gpt-/ })).toHaveLength(25)
    expect(screen.queryByRole('button', { name: /^Show all/ })).toBeNull()
  })
})

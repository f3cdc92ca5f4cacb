// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { KeyComparison } from '@touchstone/sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WinBars } from './win-bars.tsx'

afterEach(cleanup)

function open(figures: { wins: number; losses: number; ties: number }) {
  const onPick = vi.fn()
  render(
    <WinBars
      sides={{ names: { a: 'v4', b: 'v5' }, colors: { a: 'series-blue', b: 'series-orange' } }}
      keys={['helpful']}
      rows={[]}
      statistics={new Map([['helpful', figures as KeyComparison]])}
      active="helpful"
      filter={undefined}
      onPick={onPick}
    />,
  )
  return onPick
}

describe('the results of a comparison', () => {
  it('show the counts of the server, where B is compared with A, and a verdict in words', async () => {
    const onPick = open({ wins: 30, losses: 58, ties: 12 })
    screen.getByText('v4 is preferred')
    screen.getByText('Chance alone gives such a lead in 0.37 % of cases')
    await userEvent.click(screen.getByRole('button', { name: 'B: v5 wins 30' }))
    expect(onPick).toHaveBeenCalledWith('helpful', 'b')
  })

  it.each([
    [{ wins: 6, losses: 4, ties: 0 }, 'No preference shown', 'Chance alone gives such a lead in 75 % of cases'],
    [{ wins: 0, losses: 0, ties: 3 }, 'No preference', 'No pair is decided'],
    [{ wins: 40, losses: 0, ties: 0 }, 'v5 is preferred', 'Chance alone gives such a lead in less than 0.1 % of cases'],
    [{ wins: 4, losses: 4, ties: 1 }, 'No preference shown', 'Both won equally often'],
  ])('of %j are: %s', (figures, verdict, p) => {
    open(figures)
    screen.getByText(verdict)
    screen.getByText(p)
  })
})

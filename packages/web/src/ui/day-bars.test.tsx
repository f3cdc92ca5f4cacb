// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it } from 'vitest'
import { DayBars } from './day-bars.tsx'

afterEach(cleanup)

const bars = [
  { day: '2026-01-30', value: 1, text: '1 run' },
  { day: '2026-01-31', value: 0, text: '0 runs' },
  { day: '2026-02-01', value: 3, text: '3 runs' },
]

describe('day bars', () => {
  it('announce the last day first and each day that the arrow keys reach', async () => {
    render(<DayBars label="Runs per day" bars={bars} />)
    const slider = screen.getByRole('slider', { name: 'Runs per day' })
    const readDay = () => slider.getAttribute('aria-valuetext')
    expect(readDay()).toBe('2026-02-01: 3 runs')
    slider.focus()
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}')
    expect(readDay()).toBe('2026-01-31: 0 runs')
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}')
    expect(readDay()).toBe('2026-01-30: 1 run')
    await userEvent.keyboard('{ArrowRight}')
    expect(readDay()).toBe('2026-01-31: 0 runs')
  })

  it('have no value without days', () => {
    render(<DayBars label="Runs per day" bars={[]} />)
    expect(screen.getByRole('slider').getAttribute('aria-valuetext')).toBe('')
  })
})

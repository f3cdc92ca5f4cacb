// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SearchField } from './search-field.tsx'

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }))
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) })
const pause = () => act(() => vi.advanceTimersByTime(250))

function renderField() {
  const onChange = vi.fn()
  function Page() {
    const [value, setValue] = useState('')
    return (
      <>
        <SearchField
          label="Search"
          value={value}
          onChange={(text) => {
            onChange(text)
            setValue(text)
          }}
        />
        <button type="button" onClick={() => setValue('')}>
          Clear
        </button>
      </>
    )
  }
  render(<Page />)
  return { onChange, field: screen.getByRole<HTMLInputElement>('searchbox') }
}

describe('the search field', () => {
  it('searches once typing pauses', async () => {
    const { onChange, field } = renderField()
    await user.type(field, 'error')
    expect(field.value).toBe('error')
    expect(onChange).not.toHaveBeenCalled()
    pause()
    expect(onChange.mock.calls).toEqual([['error']])
  })

  it('searches at once on Enter', async () => {
    const { onChange, field } = renderField()
    await user.type(field, 'error{Enter}')
    expect(onChange.mock.calls).toEqual([['error']])
    pause()
    expect(onChange).toHaveBeenCalledOnce()
  })

  it('shows a value that the page changes', async () => {
    const { field } = renderField()
    await user.type(field, 'error')
    pause()
    await user.click(screen.getByRole('button', { name: 'Clear' }))
    expect(field.value).toBe('')
    await user.type(field, 'x')
    expect(field.value).toBe('x')
  })
})

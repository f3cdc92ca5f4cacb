// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Combobox, NameField } from './combobox.tsx'
import { Dialog } from './dialog.tsx'

afterEach(cleanup)

const onSubmit = vi.fn()

function Example({ suggestions = ['correctness', 'tone', 'correct language'] }: { suggestions?: string[] }) {
  const [value, setValue] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(value)
      }}
    >
      <Combobox aria-label="Key" value={value} onChange={setValue} suggestions={suggestions} />
      <button type="submit">Save</button>
    </form>
  )
}

const field = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Key' })
const listOptions = () => screen.queryAllByRole('option').map(({ textContent }) => textContent)

describe('a combobox', () => {
  it('lists all suggestions when it is pressed, and takes one', async () => {
    render(<Example />)
    await userEvent.click(field())
    await screen.findByRole('listbox', { name: 'Suggestions' })
    expect(listOptions()).toHaveLength(3)
    await userEvent.click(screen.getByRole('option', { name: 'tone' }))
    expect(field().value).toBe('tone')
    expect(document.activeElement).toBe(field())
    expect(screen.queryByRole('listbox')).toBeNull()
  })

  it('narrows the suggestions while the user types; Enter takes the marked one', async () => {
    onSubmit.mockReset()
    render(<Example />)
    await userEvent.type(field(), 'corr')
    await screen.findByRole('listbox')
    expect(listOptions()).toEqual(['correctness', 'correct language'])
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
    expect(field().value).toBe('correct language')
    expect(onSubmit).not.toHaveBeenCalled()
    await userEvent.keyboard('{Enter}')
    expect(onSubmit).toHaveBeenCalledWith('correct language')
  })

  it('allows any other text', async () => {
    onSubmit.mockReset()
    render(<Example />)
    await userEvent.type(field(), 'to')
    await screen.findByRole('listbox')
    await userEvent.keyboard('{Enter}')
    expect(onSubmit).toHaveBeenCalledWith('to')
    expect(screen.queryByRole('listbox')).toBeNull()
  })

  it('opens by an arrow, and closes by Escape without closing the dialog around it', async () => {
    const onOpenChange = vi.fn()
    render(
      <Dialog open onOpenChange={onOpenChange} title="Edit">
        <Example />
      </Dialog>,
    )
    field().focus()
    await userEvent.keyboard('{ArrowDown}')
    await screen.findByRole('listbox')
    await userEvent.keyboard('{Escape}')
    expect(screen.queryByRole('listbox')).toBeNull()
    expect(onOpenChange).not.toHaveBeenCalled()
    await userEvent.keyboard('{Escape}')
    expect(onOpenChange).toHaveBeenCalledWith(false)
  })

  it('is a plain field without suggestions', async () => {
    render(<Example suggestions={[]} />)
    await userEvent.click(field())
    await userEvent.keyboard('{ArrowDown}a')
    expect(field().getAttribute('aria-expanded')).toBe('false')
    expect(screen.queryByRole('listbox')).toBeNull()
  })
})

it('a name field shows which names are new', () => {
  const shared = { label: 'Split', onChange: () => undefined, names: ['test'], whenNew: 'A new split' }
  const { rerender } = render(<NameField {...shared} value="tes" />)
  expect(screen.getByText('A new split')).toBeDefined()
  rerender(<NameField {...shared} value="test" />)
  expect(screen.queryByText('A new split')).toBeNull()
})

// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { type ReactNode, useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Combobox } from './combobox.tsx'
import { FormDialog } from './dialog.tsx'
import { Segmented } from './segmented.tsx'
import { Select } from './select.tsx'

afterEach(cleanup)

function Key({ suggestions = ['correctness', 'tone'] }: { suggestions?: string[] }) {
  const [key, setKey] = useState('')
  return <Combobox aria-label="Key" value={key} onChange={setKey} suggestions={suggestions} />
}

function renderDialog(children: ReactNode) {
  const onSubmit = vi.fn()
  render(
    <FormDialog title="New" action="Create" onSubmit={onSubmit} onClose={() => undefined}>
      {children}
    </FormDialog>,
  )
  return { onSubmit, user: userEvent.setup() }
}

const focusedName = () => document.activeElement?.getAttribute('aria-label')

describe('Enter in a dialog with several fields', () => {
  it('goes on to the next field, and submits in the last one', async () => {
    const { onSubmit, user } = renderDialog(
      <>
        <input aria-label="Name" />
        <input aria-label="Locked" disabled />
        <button type="button">Help</button>
        <Select value="a" onChange={() => undefined} options={[{ value: 'a', label: 'A' }]} aria-label="Kind" />
        <Segmented
          label="Scope"
          value="two"
          onChange={() => undefined}
          options={[
            { value: 'one', label: 'One' },
            { value: 'two', label: 'Two' },
          ]}
        />
        <input aria-label="Limit" defaultValue="10" />
      </>,
    )
    await user.type(screen.getByLabelText('Name'), 'x{Enter}')
    expect(focusedName()).toBe('Kind')
    await user.keyboard('{Enter}')
    expect(focusedName()).toBe('Limit')
    expect(onSubmit).not.toHaveBeenCalled()
    await user.keyboard('{Enter}')
    expect(onSubmit).toHaveBeenCalledOnce()
  })

  it('selects the text of the next field, as Tab does', async () => {
    const { user } = renderDialog(
      <>
        <input aria-label="Name" />
        <input aria-label="Limit" defaultValue="10" />
      </>,
    )
    await user.type(screen.getByLabelText('Name'), 'x{Enter}25')
    expect(screen.getByLabelText<HTMLInputElement>('Limit').value).toBe('25')
  })

  it('passes the choices of a question as one field', async () => {
    const { onSubmit, user } = renderDialog(
      <>
        <input aria-label="Name" />
        <input type="radio" name="role" aria-label="Member" />
        <input type="radio" name="role" aria-label="Admin" defaultChecked />
        <input type="checkbox" aria-label="Notify" />
      </>,
    )
    await user.type(screen.getByLabelText('Name'), 'x{Enter}')
    expect(focusedName()).toBe('Admin')
    await user.keyboard('{Enter}')
    expect(focusedName()).toBe('Notify')
    expect(onSubmit).not.toHaveBeenCalled()
    await user.keyboard('{Enter}')
    expect(onSubmit).toHaveBeenCalledOnce()
  })

  it('adds a line in a text area; Ctrl+Enter submits from any field', async () => {
    const { onSubmit, user } = renderDialog(
      <>
        <input aria-label="Name" />
        <textarea aria-label="Text" />
      </>,
    )
    const text = screen.getByLabelText<HTMLTextAreaElement>('Text')
    await user.type(text, 'a{Enter}b')
    expect(text.value).toBe('a\nb')
    expect(onSubmit).not.toHaveBeenCalled()
    await user.keyboard('{Control>}{Enter}{/Control}')
    screen.getByLabelText('Name').focus()
    await user.keyboard('{Meta>}{Enter}{/Meta}')
    expect(onSubmit).toHaveBeenCalledTimes(2)
  })

  it.each([
    ['takes the marked suggestion of a combobox', 'corr', '{ArrowDown}{Enter}', 'correctness'],
    ['takes a new text of a combobox', 'corr', '{Enter}', 'corr'],
  ])('%s and goes on', async (_, typed, keys, taken) => {
    const { onSubmit, user } = renderDialog(
      <>
        <Key />
        <textarea aria-label="Text" />
      </>,
    )
    const key = screen.getByLabelText<HTMLInputElement>('Key')
    await user.type(key, typed)
    await screen.findByRole('listbox')
    await user.keyboard(keys)
    expect(key.value).toBe(taken)
    expect(focusedName()).toBe('Text')
    expect(screen.queryByRole('listbox')).toBeNull()
    expect(onSubmit).not.toHaveBeenCalled()
  })

  it('does not run through the fields while it is held', async () => {
    const { onSubmit, user } = renderDialog(
      <>
        <input aria-label="Name" />
        <input aria-label="Limit" />
      </>,
    )
    await user.type(screen.getByLabelText('Name'), '{Enter>4/}')
    expect(focusedName()).toBe('Limit')
    expect(onSubmit).not.toHaveBeenCalled()
  })
})

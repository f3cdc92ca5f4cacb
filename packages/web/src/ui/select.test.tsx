// @vitest-environment happy-dom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SelectOption } from '#lib/select.ts'
import { Dialog } from './dialog.tsx'
import { FormField } from './field.tsx'
import { Select } from './select.tsx'
import { chooseOption } from './testing/choose-option.ts'

afterEach(cleanup)

const FRUIT: SelectOption[] = [
  { value: '', label: 'None' },
  { value: 'a', label: 'Apple' },
  { value: 'b', label: 'Banana', disabled: true },
  { value: 'c', label: 'Cherry' },
]
const NUMBERS: SelectOption[] = Array.from({ length: 12 }, (_, index) => ({
  value: String(index),
  label: `Number ${index}`,
  group: index < 6 ? 'Low' : 'High',
}))

function Example(props: { options?: SelectOption[]; error?: string; start?: string; onSubmit?: () => void }) {
  const [value, setValue] = useState(props.start ?? '')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        props.onSubmit?.()
      }}
    >
      <FormField label="Fruit" hint="Choose one" error={props.error}>
        {(control) => <Select {...control} options={props.options ?? FRUIT} value={value} onChange={setValue} />}
      </FormField>
      <input aria-label="Next" />
      <button type="submit">Save</button>
    </form>
  )
}

const field = () => screen.getByRole('combobox', { name: 'Fruit' })
const getActive = () => document.getElementById(field().getAttribute('aria-activedescendant') ?? '')?.textContent

describe('a select', () => {
  it('has the label, the hint and the error of its field', () => {
    render(<Example error="Choose a fruit" />)
    expect(field().getAttribute('aria-invalid')).toBe('true')
    const note = document.getElementById(field().getAttribute('aria-describedby') ?? '')
    expect(note?.textContent).toBe('Choose a fruit')
    expect(field().textContent).toBe('None')
  })

  it('chooses an option with the pointer, and gives the focus back', async () => {
    render(<Example />)
    await chooseOption('Fruit', 'Cherry')
    expect(field().textContent).toBe('Cherry')
    expect(screen.queryByRole('listbox')).toBeNull()
    expect(document.activeElement).toBe(field())
    await userEvent.click(field())
    expect((await screen.findByRole('option', { name: 'Cherry' })).getAttribute('aria-selected')).toBe('true')
    await userEvent.click(field())
    expect(screen.queryByRole('listbox')).toBeNull()
  })

  it('does not choose a disabled option', async () => {
    render(<Example />)
    await chooseOption('Fruit', 'Banana')
    expect(field().textContent).toBe('None')
  })

  it('opens by arrows, passes over disabled options, and chooses with Enter', async () => {
    render(<Example start="a" />)
    field().focus()
    await userEvent.keyboard('{ArrowDown}')
    await screen.findByRole('listbox', { name: 'Fruit' })
    expect(getActive()).toBe('Apple')
    await userEvent.keyboard('{ArrowDown}')
    expect(getActive()).toBe('Cherry')
    await userEvent.keyboard('{Enter}')
    expect(field().textContent).toBe('Cherry')
  })

  it('keeps its value on Escape', async () => {
    render(<Example start="a" />)
    field().focus()
    await userEvent.keyboard('{ArrowDown}')
    await screen.findByRole('listbox')
    await userEvent.keyboard('{End}{Escape}')
    expect(screen.queryByRole('listbox')).toBeNull()
    expect(field().textContent).toBe('Apple')
  })

  it('chooses the active option on Tab and moves on', async () => {
    render(<Example />)
    field().focus()
    await userEvent.keyboard('{ArrowDown}')
    await screen.findByRole('listbox')
    await userEvent.keyboard('{End}')
    await userEvent.tab()
    expect(field().textContent).toBe('Cherry')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Next')))
  })

  it('chooses by letters while it is closed', async () => {
    render(<Example />)
    field().focus()
    await userEvent.keyboard('c')
    expect(field().textContent).toBe('Cherry')
    expect(screen.queryByRole('listbox')).toBeNull()
  })

  it('submits its form on Enter', async () => {
    const onSubmit = vi.fn()
    render(<Example onSubmit={onSubmit} />)
    field().focus()
    await userEvent.keyboard('{Enter}')
    expect(onSubmit).toHaveBeenCalledOnce()
    expect(screen.queryByRole('listbox')).toBeNull()
  })

  it('shows a value that is not among the options', () => {
    render(<Example start="durian" />)
    expect(field().textContent).toBe('durian')
  })

  it('mounts only the options in view of a very long list, and finds all', async () => {
    const options = Array.from({ length: 5_000 }, (_, at) => ({ value: String(at), label: `Version ${at}` }))
    render(<Example options={options} start="0" />)
    await userEvent.click(field())
    const first = await screen.findByRole('option', { name: 'Version 0' })
    expect(first.getAttribute('aria-setsize')).toBe('5000')
    expect(screen.getAllByRole('option').length).toBeLessThan(200)
    await userEvent.type(screen.getByRole('combobox', { name: 'Search Fruit' }), '4999')
    await userEvent.click(await screen.findByRole('option', { name: 'Version 4999' }))
    expect(field().textContent).toBe('Version 4999')
  })

  it('searches long lists, with their groups', async () => {
    render(<Example options={NUMBERS} start="3" />)
    await userEvent.click(field())
    await screen.findByText('High')
    const search = screen.getByRole('combobox', { name: 'Search Fruit' })
    await waitFor(() => expect(document.activeElement).toBe(search))
    await userEvent.keyboard('11')
    expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['Number 11'])
    await userEvent.keyboard('{Enter}')
    expect(field().textContent).toBe('Number 11')
    expect(document.activeElement).toBe(field())

    await userEvent.click(field())
    await userEvent.type(await screen.findByRole('combobox', { name: 'Search Fruit' }), 'zzz')
    screen.getByText('No options match.')
  })

  it('puts letters into the search that are typed before it has the focus', async () => {
    render(<Example options={NUMBERS} />)
    await userEvent.click(field())
    const search = await screen.findByRole('combobox', { name: 'Search Fruit' })
    field().focus()
    await userEvent.keyboard('number 1x{Backspace}1')
    expect(search.getAttribute('value')).toBe('number 11')
    await userEvent.keyboard('{Enter}')
    expect(field().textContent).toBe('Number 11')
  })

  it('closes without closing the dialog around it', async () => {
    const onOpenChange = vi.fn()
    render(
      <Dialog open onOpenChange={onOpenChange} title="Edit">
        <Example options={NUMBERS} />
      </Dialog>,
    )
    await userEvent.click(screen.getByLabelText('Fruit'))
    await screen.findByRole('listbox')
    await userEvent.keyboard('{Escape}')
    expect(screen.queryByRole('listbox')).toBeNull()
    expect(onOpenChange).not.toHaveBeenCalled()
    await chooseOption('Fruit', 'Number 7')
    expect(screen.getByLabelText('Fruit').textContent).toBe('Number 7')
  })
})

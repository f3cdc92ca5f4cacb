// @vitest-environment happy-dom
import { cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ExampleForm } from './example-form.tsx'

afterEach(cleanup)

/** A form that keeps what it emits, as the editor does. */
function renderForm(first: string) {
  const onChange = vi.fn<(json: string) => void>()
  function Form() {
    const [json, setJson] = useState(first)
    const change = (next: string) => {
      onChange(next)
      setJson(next)
    }
    return (
      <>
        <ExampleForm label="Inputs" json={json} onChange={change} schema={null} readOnly={false} onSave={vi.fn()} />
        <button type="button" onClick={() => setJson(first)}>
          Discard
        </button>
      </>
    )
  }
  render(<Form />)
  return { getValue: (): unknown => JSON.parse(onChange.mock.lastCall?.[0] ?? first), onChange }
}

const field = () => screen.getByLabelText<HTMLInputElement>('score')

describe('a number in the form of an example', () => {
  it.each(['1.5', '-0.25', '1e-3'])('can be typed: %s', async (typed) => {
    const { getValue, onChange } = renderForm('{"score": 3}')
    const input = field()
    await userEvent.clear(input)
    await userEvent.type(input, typed)
    expect(document.activeElement).toBe(input)
    expect(input.value).toBe(typed)
    expect(getValue()).toEqual({ score: Number(typed) })
    for (const [json] of onChange.mock.calls) expect(JSON.parse(json).score).toBeTypeOf('number')
  })

  it('keeps its last value while the text is no number, and shows so', async () => {
    const { getValue } = renderForm('{"score": 3}')
    await userEvent.clear(field())
    expect(field().value).toBe('')
    expect(field().getAttribute('aria-invalid')).toBe('true')
    screen.getByText('This is not a number. The value is still 3.')
    expect(getValue()).toEqual({ score: 3 })
    await userEvent.type(field(), '4')
    expect(screen.queryByText(/is not a number/)).toBeNull()
    expect(getValue()).toEqual({ score: 4 })
  })

  it('shows a value that changes elsewhere', async () => {
    renderForm('{"score": 3}')
    await userEvent.type(field(), '.5')
    await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
    expect(field().value).toBe('3')
  })
})

describe('the messages in the form of an example', () => {
  const MESSAGES =
    '{"messages": [{"role": "user", "content": "Hi", "seed": 1}, {"role": "assistant", "content": "Hello"}]}'

  it('are edited one by one, and keep what is not edited', async () => {
    const { getValue } = renderForm(MESSAGES)
    const content = screen.getByLabelText<HTMLTextAreaElement>('Content of message 2')
    await userEvent.type(content, ', Ada')
    expect(document.activeElement).toBe(content)
    expect(getValue()).toEqual({
      messages: [
        { role: 'user', content: 'Hi', seed: 1 },
        { role: 'assistant', content: 'Hello, Ada' },
      ],
    })
  })

  it('are added, moved with the focus, and removed', async () => {
    const { getValue } = renderForm(MESSAGES)
    const roles = () => (getValue() as { messages: { role: string; content: string }[] }).messages.map(Object.values)
    await userEvent.click(screen.getByRole('button', { name: 'Add message' }))
    expect(document.activeElement).toBe(screen.getByLabelText('Content of message 3'))
    await userEvent.keyboard('Bye')
    await userEvent.keyboard('{Alt>}{ArrowUp}{/Alt}')
    expect(document.activeElement).toBe(screen.getByLabelText('Content of message 2'))
    expect(roles()).toEqual([
      ['user', 'Hi', 1],
      ['user', 'Bye'],
      ['assistant', 'Hello'],
    ])
    await userEvent.click(screen.getByRole('button', { name: 'Remove message 1' }))
    expect(roles()).toEqual([
      ['user', 'Bye'],
      ['assistant', 'Hello'],
    ])
    expect(screen.getByRole('button', { name: 'Move message 1 up' })).toHaveProperty('disabled', true)
  })

  it('keep the focus on the button that moves them', async () => {
    renderForm(MESSAGES)
    await userEvent.click(screen.getByRole('button', { name: 'Add message' }))
    await userEvent.click(screen.getByRole('button', { name: 'Move message 3 up' }))
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move message 2 up' }))
    await userEvent.keyboard('{Enter}')
    // At the top only the other button is enabled.
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move message 1 down' }))
  })

  it('stay where a field has used the keys itself', async () => {
    const { onChange } = renderForm(MESSAGES)
    const content = screen.getByLabelText('Content of message 2')
    content.addEventListener('keydown', (event) => event.preventDefault())
    await userEvent.type(content, '{Alt>}{ArrowUp}{/Alt}')
    expect(onChange).not.toHaveBeenCalled()
  })

  it('can be removed and added in a list of any name', async () => {
    const { getValue } = renderForm('{"history": [{"role": "user", "content": "Hi"}]}')
    await userEvent.click(screen.getByRole('button', { name: 'Remove message 1' }))
    expect(getValue()).toEqual({ history: [] })
    await userEvent.click(screen.getByRole('button', { name: 'Add message' }))
    expect(getValue()).toEqual({ history: [{ role: 'user', content: '' }] })
  })

  it('keep their state while others are moved and removed', async () => {
    renderForm(MESSAGES)
    const isOpen = (name: string) =>
      within(screen.getByRole('listitem', { name })).queryByRole('button', { name: 'seed', expanded: true }) !== null
    await userEvent.click(screen.getByRole('button', { name: 'seed' }))
    await userEvent.click(screen.getByRole('button', { name: 'Move message 2 up' }))
    expect([isOpen('Message 1'), isOpen('Message 2')]).toEqual([false, true])
    await userEvent.click(screen.getByRole('button', { name: 'Remove message 1' }))
    expect(isOpen('Message 1')).toBe(true)
    expect(document.activeElement).toBe(screen.getByLabelText('Content of message 1'))
    await userEvent.click(screen.getByRole('button', { name: 'Remove message 1' }))
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add message' }))
  })
})

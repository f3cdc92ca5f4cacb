// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findEmailProblem, findPasswordProblem, useCheckedForm } from './checked-form.tsx'
import { TextField } from './field.tsx'

afterEach(cleanup)

const onSubmit = vi.fn()

function Example({ refusal }: { refusal?: string }) {
  const [draft, setDraft] = useState({ email: '', password: '' })
  const { form, problems } = useCheckedForm(
    { email: findEmailProblem(draft.email), password: findPasswordProblem(draft.password) },
    onSubmit,
    refusal,
  )
  return (
    <form {...form}>
      <TextField
        label="Email"
        type="email"
        required
        error={problems?.email}
        value={draft.email}
        onChange={(email) => setDraft({ ...draft, email })}
      />
      <TextField
        label="Password"
        error={problems?.password ?? refusal}
        value={draft.password}
        onChange={(password) => setDraft({ ...draft, password })}
      />
      <button type="submit">Join</button>
    </form>
  )
}

const submit = () => userEvent.click(screen.getByRole('button', { name: 'Join' }))
const readMessages = () => screen.queryAllByRole('alert').map(({ textContent }) => textContent)

describe('a checked form', () => {
  it('shows no messages before the first attempt', () => {
    render(<Example />)
    expect(readMessages()).toEqual([])
  })

  it('shows its own messages and focuses the first wrong field', async () => {
    onSubmit.mockReset()
    render(<Example />)
    expect(document.querySelector('form')?.noValidate).toBe(true)
    await submit()
    expect(readMessages()).toEqual(['Enter an email address.', 'Enter a password.'])
    expect(document.activeElement).toBe(screen.getByLabelText('Email'))
    await userEvent.keyboard('ada@example.com')
    await submit()
    expect(readMessages()).toEqual(['Enter a password.'])
    expect(document.activeElement).toBe(screen.getByLabelText('Password'))
    await userEvent.keyboard('short')
    expect(readMessages()).toEqual(['Enter at least 10 characters.'])
    await userEvent.keyboard(' no more{Enter}')
    expect(readMessages()).toEqual([])
    expect(onSubmit).toHaveBeenCalledOnce()
  })

  it('focuses the field that the server has refused, once', async () => {
    const { rerender } = render(<Example />)
    rerender(<Example refusal="has been used before" />)
    expect(document.activeElement).toBe(screen.getByLabelText('Password'))
    await userEvent.type(screen.getByLabelText('Email'), 'a')
    expect(document.activeElement).toBe(screen.getByLabelText('Email'))
  })
})

it.each([
  ['ada@example.com', undefined],
  [' ada@localhost ', undefined],
  ['ada', 'Enter an email address, such as ada@example.com.'],
  ['ada@', 'Enter an email address, such as ada@example.com.'],
  [' ', 'Enter an email address.'],
])('the email address %j is answered with %j', (text, problem) => {
  expect(findEmailProblem(text)).toBe(problem)
})

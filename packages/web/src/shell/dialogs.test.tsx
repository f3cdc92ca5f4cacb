// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ReactNode, useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ShortcutProvider, useShortcuts } from '#ui/shortcuts.tsx'
import { ShortcutHelp } from './shortcut-help.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import { CreateWorkspaceDialog } from './workspace-menu.tsx'

const send = vi.fn<(url: string, body: unknown) => Promise<Response>>()

beforeEach(() => {
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) =>
    send(String(input), typeof init?.body === 'string' ? JSON.parse(init.body) : undefined),
  )
})

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  send.mockReset()
})

function renderWithQueries(children: ReactNode) {
  render(<QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>)
  return userEvent.setup()
}

describe('the dialog to create a workspace', () => {
  it('needs a name', async () => {
    const user = renderWithQueries(<CreateWorkspaceDialog onClose={() => undefined} />)
    const button = screen.getByRole('button', { name: 'Create workspace' })
    expect(button).toHaveProperty('disabled', true)
    await user.type(screen.getByLabelText('Name'), '   ')
    expect(button).toHaveProperty('disabled', true)
    await user.type(screen.getByLabelText('Name'), 'Research')
    expect(button).toHaveProperty('disabled', false)
  })

  it('keeps the name and shows the reason when the server rejects it', async () => {
    send.mockImplementation(async () => Response.json({ detail: 'The name is taken.' }, { status: 409 }))
    const user = renderWithQueries(<CreateWorkspaceDialog onClose={() => undefined} />)
    await user.type(screen.getByLabelText('Name'), 'Research{Enter}')
    expect((await screen.findByRole('alert')).textContent).toContain('Could not create the workspace')
    expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Research')
    expect(send.mock.calls[0]?.[1]).toMatchObject({ display_name: 'Research' })
  })

  it('cannot be submitted twice', async () => {
    send.mockReturnValue(new Promise(() => undefined))
    const user = renderWithQueries(<CreateWorkspaceDialog onClose={() => undefined} />)
    await user.type(screen.getByLabelText('Name'), 'Research{Enter}{Enter}')
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Create workspace' })).toHaveProperty('disabled', true),
    )
    expect(send).toHaveBeenCalledOnce()
  })
})

describe('the dialog to sign in again', () => {
  it('asks for the password of the same account', async () => {
    renderWithQueries(<SignInAgain email="ada@example.com" onDone={() => undefined} />)
    expect(screen.getByLabelText('Email')).toHaveProperty('readOnly', true)
    expect(screen.getByLabelText('Email')).toHaveProperty('value', 'ada@example.com')
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Password')))
    expect(screen.getByRole('button', { name: 'Sign in' })).toHaveProperty('disabled', true)
  })

  it('shows a wrong password at its field and stays open', async () => {
    send.mockImplementation(async () => Response.json({ detail: 'The password is wrong.' }, { status: 401 }))
    const onDone = vi.fn()
    const user = renderWithQueries(<SignInAgain email="ada@example.com" onDone={onDone} />)
    await user.type(screen.getByLabelText('Password'), 'wrong horse')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect((await screen.findByRole('alert')).textContent).toContain('The password is wrong.')
    expect(screen.getByLabelText('Password').getAttribute('aria-invalid')).toBe('true')
    expect(onDone).not.toHaveBeenCalled()
  })

  it('closes after a successful sign-in', async () => {
    send.mockImplementation(async () => Response.json({ kind: 'person', email: 'ada@example.com', role: 'admin' }))
    const onDone = vi.fn()
    const user = renderWithQueries(<SignInAgain email="ada@example.com" onDone={onDone} />)
    await user.type(screen.getByLabelText('Password'), 'correct horse')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce())
    expect(send.mock.calls[0]?.[1]).toMatchObject({ email: 'ada@example.com', password: 'correct horse' })
  })
})

describe('the shortcut help', () => {
  function Page() {
    useShortcuts('List', [{ keys: 'j', label: 'Next row', run: () => undefined }])
    return <ShortcutHelp onClose={() => undefined} />
  }

  it('lists active shortcuts and remembers the choice of single letters', async () => {
    const user = userEvent.setup()
    render(
      <ShortcutProvider>
        <Page />
      </ShortcutProvider>,
    )
    await user.click(screen.getByRole('checkbox', { name: /single-letter shortcuts/ }))
    expect(localStorage.getItem('touchstone.single-key-shortcuts')).toBe('off')
    cleanup()
    render(
      <ShortcutProvider>
        <Page />
      </ShortcutProvider>,
    )
    expect(screen.getByRole('checkbox')).toHaveProperty('checked', false)
  })

  it('gives the focus back to where it was', async () => {
    localStorage.clear()
    const user = userEvent.setup()
    function Opener() {
      const [isOpen, setOpen] = useState(false)
      useShortcuts('Global', [{ keys: '?', label: 'Keyboard shortcuts', run: () => setOpen(true) }])
      return (
        <>
          <input type="range" aria-label="Zoom" />
          {isOpen && <ShortcutHelp onClose={() => setOpen(false)} />}
        </>
      )
    }
    render(
      <ShortcutProvider>
        <Opener />
      </ShortcutProvider>,
    )
    const place = screen.getByRole('slider')
    place.focus()
    fireEvent.keyDown(document, { key: '?' })
    await waitFor(() => expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true))
    await user.keyboard('{Escape}')
    await waitFor(() => expect(document.activeElement).toBe(place))
  })
})

// @vitest-environment happy-dom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Button } from './button.tsx'
import { ConfirmDialog, FormDialog, type FormDialogProps } from './dialog.tsx'
import { Menu, MenuItem } from './menu.tsx'

afterEach(cleanup)

function renderDialog(props: Partial<FormDialogProps> = {}) {
  const [onSubmit, onClose] = [vi.fn(), vi.fn()]
  render(
    <FormDialog title="New key" action="Create key" onSubmit={onSubmit} onClose={onClose} {...props}>
      <label>
        Name
        <input />
      </label>
    </FormDialog>,
  )
  return { onSubmit, onClose, user: userEvent.setup() }
}

const submitButton = () => screen.getByRole('button', { name: 'Create key' })

describe('a form dialog', () => {
  it('is named by its title and focuses its first field', () => {
    renderDialog()
    expect(screen.getByRole('dialog', { name: 'New key' })).toBeDefined()
    expect(document.activeElement).toBe(screen.getByLabelText('Name'))
  })

  it('submits by its button and by Enter in a field', async () => {
    const { onSubmit, user } = renderDialog()
    await user.click(submitButton())
    await user.type(screen.getByLabelText('Name'), 'ci{Enter}')
    expect(onSubmit).toHaveBeenCalledTimes(2)
  })

  it.each([{ isPending: true }, { canSubmit: false }])('does not submit with %o', async (props) => {
    const { onSubmit, user } = renderDialog(props)
    expect(submitButton()).toHaveProperty('disabled', true)
    await user.type(screen.getByLabelText('Name'), '{Enter}')
    expect(onSubmit).not.toHaveBeenCalled()
  })

  it('shows why the last submit failed', () => {
    renderDialog({ error: new Error('The name is taken.'), errorTitle: 'Could not create the key' })
    const alert = screen.getByRole('alert')
    expect(alert.textContent).toContain('Could not create the key')
    expect(alert.textContent).toContain('The name is taken.')
  })

  it('closes by Cancel, by the close button and by Esc', async () => {
    const { onClose, user } = renderDialog()
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    await user.click(screen.getByRole('button', { name: 'Close' }))
    await user.keyboard('{Escape}')
    expect(onClose).toHaveBeenCalledTimes(3)
  })

  it('does not submit a form around it', async () => {
    const outer = vi.fn((event: { preventDefault(): void }) => event.preventDefault())
    const onSubmit = vi.fn()
    render(
      <form onSubmit={outer}>
        <FormDialog title="New key" action="Create key" onSubmit={onSubmit} onClose={() => undefined}>
          <input aria-label="Name" />
        </FormDialog>
      </form>,
    )
    await userEvent.type(screen.getByLabelText('Name'), 'ci{Enter}')
    expect(onSubmit).toHaveBeenCalledOnce()
    expect(outer).not.toHaveBeenCalled()
  })
})

describe('the focus after a dialog', () => {
  function Page() {
    const [isOpen, setOpen] = useState(false)
    const open = () => setOpen(true)
    return (
      <>
        <Button onClick={open}>New</Button>
        <Menu trigger={<Button>Actions</Button>}>
          <MenuItem onSelect={open}>Delete…</MenuItem>
        </Menu>
        {isOpen && (
          <ConfirmDialog title="Delete" action="Delete" onConfirm={vi.fn()} onCancel={() => setOpen(false)}>
            This cannot be undone.
          </ConfirmDialog>
        )}
      </>
    )
  }

  const closeByEsc = async () => {
    await screen.findByRole('dialog')
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  }

  it('returns to the button that opened it', async () => {
    render(<Page />)
    const button = screen.getByRole('button', { name: 'New' })
    button.focus()
    await userEvent.keyboard('{Enter}')
    await closeByEsc()
    await waitFor(() => expect(document.activeElement).toBe(button))
  })

  it('returns to the button of the menu whose item opened it', async () => {
    render(<Page />)
    screen.getByRole('button', { name: 'Actions' }).focus()
    await userEvent.keyboard('{Enter}')
    ;(await screen.findByRole('menuitem', { name: 'Delete…' })).focus()
    await userEvent.keyboard('{Enter}')
    await closeByEsc()
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Actions' })))
  })
})

describe('a confirm dialog', () => {
  it('asks to type the text before a large action', async () => {
    const onConfirm = vi.fn()
    render(
      <ConfirmDialog title="Delete runs" action="Delete" typed="2995" onConfirm={onConfirm} onCancel={() => undefined}>
        This cannot be undone.
      </ConfirmDialog>,
    )
    const button = screen.getByRole('button', { name: 'Delete' })
    expect(button).toHaveProperty('disabled', true)
    await userEvent.type(screen.getByLabelText('Type 2995 to confirm'), '299')
    expect(button).toHaveProperty('disabled', true)
    await userEvent.type(screen.getByLabelText('Type 2995 to confirm'), '5')
    await userEvent.click(button)
    expect(onConfirm).toHaveBeenCalledOnce()
  })

  it('confirms by Enter and cancels by Esc', async () => {
    const [onConfirm, onCancel] = [vi.fn(), vi.fn()]
    render(
      <ConfirmDialog title="Revoke key" action="Revoke" onConfirm={onConfirm} onCancel={onCancel}>
        Programs that use it stop working.
      </ConfirmDialog>,
    )
    screen.getByRole('button', { name: 'Revoke' }).focus()
    await userEvent.keyboard('{Enter}')
    expect(onConfirm).toHaveBeenCalledOnce()
    await userEvent.keyboard('{Escape}')
    expect(onCancel).toHaveBeenCalledOnce()
  })

  it('is not confirmed twice while busy', () => {
    render(
      <ConfirmDialog title="Revoke key" action="Revoke" isBusy onConfirm={vi.fn()} onCancel={vi.fn()}>
        Programs that use it stop working.
      </ConfirmDialog>,
    )
    expect(screen.getByRole('button', { name: 'Revoke' })).toHaveProperty('disabled', true)
  })
})

// @vitest-environment happy-dom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { RenameDialog } from './rename-dialog.tsx'

afterEach(cleanup)

/** A dialog for `old`, and the server's name, which others may change. */
function open() {
  const server = { name: 'old' }
  const onClose = vi.fn()
  const save = async (name: string, expected: string) => {
    const detail = [{ loc: ['body', 'name'], msg: 'It was changed.', type: 'changed' }]
    if (expected !== server.name) throw new Error(`Conflict. Message: ${JSON.stringify({ detail })}`)
    server.name = name
  }
  render(<RenameDialog noun="project" name="old" read={async () => server.name} save={save} onClose={onClose} />)
  return { server, onClose, field: screen.getByLabelText<HTMLInputElement>('Name') }
}

describe('renaming an object', () => {
  it('closes the dialog when the name is saved', async () => {
    const { server, onClose, field } = open()
    await userEvent.clear(field)
    await userEvent.type(field, ' mine {Enter}')
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
    expect(server.name).toBe('mine')
  })

  it('shows both names when others have renamed it meanwhile', async () => {
    const { server, onClose, field } = open()
    server.name = 'theirs'
    await userEvent.clear(field)
    await userEvent.type(field, 'mine{Enter}')
    const conflict = await screen.findByRole('alert', { name: 'Changed elsewhere while you were editing' })
    expect(conflict.textContent).toMatch(/Saved meanwhile.*theirs.*Yours.*mine/)
    expect(server.name).toBe('theirs')
    expect(onClose).not.toHaveBeenCalled()
    await userEvent.click(screen.getByRole('button', { name: 'Save mine' }))
    await waitFor(() => expect(server.name).toBe('mine'))
  })
})

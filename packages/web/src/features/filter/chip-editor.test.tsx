// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import { chooseOption } from '#ui/testing/choose-option.ts'
import { ChipEditor } from './chip-editor.tsx'
import type { Suggest } from './suggestions.tsx'

afterEach(cleanup)

const suggest = (({ kind }: { kind: string }) => ({
  queryKey: ['suggestions', kind],
  queryFn: () => Promise.resolve([]),
})) as unknown as Suggest

function open(text = '') {
  const onApply = vi.fn()
  renderWithQueries(
    <ChipEditor
      chip={{ scope: 'run', filter: undefined, text }}
      filters={{}}
      suggest={suggest}
      onApply={onApply}
      onRemove={undefined}
    />,
  )
  return onApply
}

describe('the form of a filter condition', () => {
  it('asks for a value before it applies', async () => {
    const onApply = open()
    await userEvent.click(screen.getByRole('button', { name: 'Apply' }))
    screen.getByText('Enter a value.')
    expect(onApply).not.toHaveBeenCalled()
  })

  it('applies a condition to the selected scope on Enter', async () => {
    const onApply = open()
    await userEvent.click(screen.getByRole('radio', { name: 'Root run' }))
    await chooseOption('Field', 'name')
    await userEvent.type(screen.getByLabelText('Value'), 'agent{Enter}')
    expect(onApply).toHaveBeenCalledWith('root', [expect.objectContaining({ text: expect.stringContaining('agent') })])
  })

  it('explains a syntax error in a condition as text', async () => {
    const onApply = open('eq(name')
    await userEvent.click(screen.getByRole('button', { name: 'Apply' }))
    expect(screen.getByRole('alert').textContent).toMatch(/character/)
    expect(onApply).not.toHaveBeenCalled()
  })

  it('turns a condition into a group', async () => {
    open()
    await userEvent.click(screen.getByRole('button', { name: 'Or…' }))
    expect(screen.getAllByLabelText('Field')).toHaveLength(2)
    await userEvent.click(screen.getByRole('button', { name: 'Add condition' }))
    expect(screen.getAllByLabelText('Field')).toHaveLength(3)
  })
})

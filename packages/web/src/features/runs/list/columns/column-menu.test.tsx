// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_COLUMNS } from '#lib/run-columns.ts'
import type { RunsView } from '../../queries.ts'
import { ColumnMenu } from './column-menu.tsx'

afterEach(cleanup)

const view: RunsView = { projectId: 'p', scope: 'traces', t: '7d', filters: {}, order: 'desc', withExtra: false }

function renderMenu(columns: readonly string[], defaults: readonly string[] = DEFAULT_COLUMNS) {
  const onChange = vi.fn<(columns: readonly string[] | undefined) => void>()
  const queryClient = new QueryClient({ defaultOptions: { queries: { enabled: false } } })
  render(
    <QueryClientProvider client={queryClient}>
      <ColumnMenu view={view} columns={columns} defaults={defaults} onChange={onChange} />
    </QueryClientProvider>,
  )
  return onChange
}

describe('column menu', () => {
  it('shows and hides columns, also before the page has the earlier change', async () => {
    const onChange = renderMenu(['name', 'input'])
    await userEvent.click(screen.getByRole('checkbox', { name: 'Tags' }))
    expect(onChange).toHaveBeenLastCalledWith(['name', 'input', 'tags'])
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Tags' }).checked).toBe(true)
    await userEvent.click(screen.getByRole('checkbox', { name: 'Input' }))
    expect(onChange).toHaveBeenLastCalledWith(['name', 'tags'])
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Name' }).disabled).toBe(true)
  })

  it('hides the feedback column of a list that shows it by default', async () => {
    const withFeedback = [...DEFAULT_COLUMNS, 'feedback']
    const onChange = renderMenu(withFeedback, withFeedback)
    await userEvent.click(screen.getByRole('checkbox', { name: 'Feedback', checked: true }))
    expect(onChange).toHaveBeenLastCalledWith([...DEFAULT_COLUMNS])
  })

  it('moves columns, but nothing above the name', async () => {
    const onChange = renderMenu(['name', 'input', 'cost'])
    await userEvent.click(screen.getByRole('button', { name: 'Move Input up' }))
    expect(onChange).not.toHaveBeenCalled()
    await userEvent.click(screen.getByRole('button', { name: 'Move Input down' }))
    expect(onChange).toHaveBeenLastCalledWith(['name', 'cost', 'input'])
  })

  it('filters the columns and adds a typed path with Enter', async () => {
    const onChange = renderMenu(['name', 'cost'])
    const search = screen.getByRole('searchbox', { name: /^Find a column/ })
    await userEvent.type(search, 'tok')
    const shown = within(screen.getByRole('list', { name: 'Shown columns' }))
    expect(shown.queryAllByRole('listitem')).toHaveLength(0)
    const other = within(screen.getByRole('list', { name: 'Other columns' }))
    expect(other.getAllByRole('checkbox')).toHaveLength(2)
    await userEvent.clear(search)
    await userEvent.type(search, 'inputs.question{Enter}')
    expect(onChange).toHaveBeenCalledOnce()
    expect(onChange.mock.lastCall?.[0]).toHaveLength(3)
  })

  it('pins a column', async () => {
    renderMenu(['name', 'cost'])
    const pin = screen.getByRole('button', { name: 'Pin Cost' })
    await userEvent.click(pin)
    expect(pin.getAttribute('aria-pressed')).toBe('true')
    await userEvent.click(pin)
    expect(pin.getAttribute('aria-pressed')).toBe('false')
  })

  it('restores the default columns', async () => {
    const onChange = renderMenu(['name'])
    await userEvent.click(screen.getByRole('button', { name: 'Default columns' }))
    expect(onChange).toHaveBeenLastCalledWith(undefined)
  })
})

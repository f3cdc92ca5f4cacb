// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderWithQueries } from '#lib/api/testing/fake-api.tsx'
import type { Filters } from '#lib/filter/chips.ts'
import { ShortcutProvider } from '#ui/shortcuts.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { Suggest } from './suggestions.tsx'

afterEach(cleanup)

const suggest = (({ kind }: { kind: string }) => ({
  queryKey: ['suggestions', kind],
  queryFn: () => Promise.resolve([]),
})) as unknown as Suggest

/** A page whose URL changes only when a button is pressed. */
function Page({ onChange }: { onChange: (filters: Filters) => void }) {
  const [filters, setFilters] = useState<Filters>({})
  return (
    <ShortcutProvider>
      <FilterBar filters={filters} onChange={onChange} suggest={suggest} />
      <button type="button" onClick={() => setFilters({ run: 'eq(status, "error")' })}>
        arrive
      </button>
      <button type="button" onClick={() => setFilters({})}>
        back
      </button>
    </ShortcutProvider>
  )
}

const chips = () => [...document.querySelectorAll('[data-chip]')].map((chip) => chip.textContent)

describe('the filter bar', () => {
  it('shows a new condition before the page has its filter, and follows the page afterwards', async () => {
    const onChange = vi.fn()
    renderWithQueries(<Page onChange={onChange} />)
    await userEvent.type(screen.getByRole('combobox', { name: 'Add filter' }), 'is:error{Enter}')
    expect(chips()).toEqual(['status is error'])
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ run: 'eq(status, "error")' })

    await userEvent.click(screen.getByRole('button', { name: 'arrive' }))
    expect(chips()).toEqual(['status is error'])
    await userEvent.click(screen.getByRole('button', { name: 'back' }))
    expect(chips()).toEqual([])
  })

  it('adds to a condition that the page does not have yet', async () => {
    const onChange = vi.fn()
    renderWithQueries(<Page onChange={onChange} />)
    const field = screen.getByRole('combobox', { name: 'Add filter' })
    await userEvent.type(field, 'is:error{Enter}')
    await userEvent.type(field, 'latency:>5s{Enter}')
    expect(chips()).toEqual(['status is error', 'latency > 5s'])
    expect(onChange).toHaveBeenLastCalledWith({ run: 'and(eq(status, "error"), gt(latency, 5))' })
  })

  it('shows what the page has after Back, also before a new condition has arrived', async () => {
    renderWithQueries(<Page onChange={vi.fn()} />)
    await userEvent.type(screen.getByRole('combobox', { name: 'Add filter' }), 'is:error{Enter}')
    expect(chips()).toEqual(['status is error'])
    act(() => void window.dispatchEvent(new PopStateEvent('popstate')))
    expect(chips()).toEqual([])
  })
})

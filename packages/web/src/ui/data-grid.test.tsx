// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useRef, useState } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DataGrid, type DataGridProps, type GridHandle } from './data-grid.tsx'
import { useGridKeys } from './grid-row.tsx'
import { ShortcutProvider } from './shortcuts.tsx'

afterEach(cleanup)

interface Item {
  id: string
  size: number
}

const items: Item[] = Array.from({ length: 1_000 }, (_, index) => ({ id: `item ${index}`, size: index }))
const ids = items.map(({ id }) => id)

function TestGrid(props: Partial<DataGridProps<Item>> & { onOpen?: (id: string) => void }) {
  const grid = useRef<GridHandle>(null)
  const [activeId, setActiveId] = useState<string>()
  useGridKeys({ grid, ids, activeId, onActive: setActiveId, onOpen: (id) => props.onOpen?.(id) })
  return (
    <DataGrid<Item>
      ref={grid}
      label="Items"
      columns={[
        { id: 'id', header: 'Id', width: '100px', cell: (item) => item.id },
        { id: 'size', header: 'Size', width: '80px', align: 'end', cell: (item) => item.size },
      ]}
      rows={items}
      rowId={(item) => item.id}
      rowHeight={28}
      card={(item) => item.id}
      activeId={activeId}
      onRowClick={() => {}}
      {...props}
    />
  )
}

function renderGrid(props: Parameters<typeof TestGrid>[0] = {}) {
  render(
    <ShortcutProvider>
      <TestGrid {...props} />
    </ShortcutProvider>,
  )
}

const focusedRow = () => document.activeElement?.getAttribute('data-row')

describe('data grid', () => {
  it('mounts only the rows in view', () => {
    renderGrid({ total: 1_000 })
    const grid = screen.getByRole('grid', { name: 'Items' })
    expect(grid.getAttribute('aria-rowcount')).toBe('1000')
    expect(screen.getAllByRole('row').length).toBeLessThan(100)
    expect(screen.getByText('item 0')).toBeTruthy()
    expect(screen.queryByText('item 500')).toBeNull()
  })

  it('moves the focus with the keyboard and opens the active row', async () => {
    const onOpen = vi.fn()
    renderGrid({ onOpen })
    await userEvent.keyboard('j')
    expect(focusedRow()).toBe('item 0')
    await userEvent.keyboard('{ArrowDown}{ArrowDown}k')
    expect(focusedRow()).toBe('item 1')
    await userEvent.keyboard('{PageDown}')
    expect(focusedRow()).toBe('item 11')
    await userEvent.keyboard('{Home}{Enter}')
    expect(onOpen).toHaveBeenCalledWith('item 0')
  })

  it('has one row in the tab order', async () => {
    renderGrid()
    await userEvent.tab()
    expect(focusedRow()).toBe('item 0')
    await userEvent.keyboard('jj')
    expect(document.querySelectorAll('[data-row][tabindex="0"]')).toHaveLength(1)
    expect(document.querySelector('[data-row][tabindex="0"]')?.getAttribute('data-row')).toBe('item 1')
  })

  it('sorts by a button in the header and reports the direction', async () => {
    const onSort = vi.fn()
    const column = { id: 'size', header: 'Size', width: '80px', cell: (item: Item) => item.size }
    renderGrid({ columns: [{ ...column, sort: { direction: 'descending', onSort, hint: 'Sorts the loaded rows' } }] })
    expect(screen.getByRole('columnheader', { name: 'Size' }).getAttribute('aria-sort')).toBe('descending')
    await userEvent.click(screen.getByRole('button', { name: 'Size' }))
    expect(onSort).toHaveBeenCalledOnce()
  })

  it('reports clicks with their row, and marks selected rows', async () => {
    const onRowClick = vi.fn()
    renderGrid({ onRowClick, selectedIds: new Set(['item 2']) })
    await userEvent.click(screen.getByText('item 3'))
    expect(onRowClick.mock.lastCall?.[0]).toBe(items[3])
    const selected = screen.getAllByRole('row', { selected: true })
    expect(selected.map((row) => row.getAttribute('data-row'))).toEqual(['item 2'])
  })

  it('leaves a click on a control in a row to the control', async () => {
    const [onRowClick, onPress] = [vi.fn(), vi.fn()]
    const cell = (item: Item) => (
      <button type="button" onClick={onPress}>
        Pin {item.id}
      </button>
    )
    renderGrid({ onRowClick, columns: [{ id: 'pin', header: 'Pin', width: '80px', cell }] })
    await userEvent.click(screen.getByRole('button', { name: 'Pin item 1' }))
    expect(onPress).toHaveBeenCalledOnce()
    expect(onRowClick).not.toHaveBeenCalled()
  })

  it('resizes a column with the arrow keys and resets it with Delete', async () => {
    const onResize = vi.fn()
    renderGrid({ columns: [{ id: 'id', header: 'Id', width: '100px', cell: (item) => item.id, onResize }] })
    screen.getByRole('separator', { name: 'Width of Id' }).focus()
    await userEvent.keyboard('{ArrowRight}')
    expect(onResize).toHaveBeenLastCalledWith(expect.any(Number), true)
    await userEvent.keyboard('{Delete}')
    expect(onResize).toHaveBeenLastCalledWith(undefined, true)
  })
})

// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { type Density, densityPreference } from '#lib/preferences.ts'
import { DataGrid } from './data-grid.tsx'

afterEach(cleanup)

function renderGrid() {
  render(
    <DataGrid
      label="Projects"
      columns={[{ id: 'name', header: 'Name', width: '100px', cell: (row: { id: string }) => row.id }]}
      rows={[{ id: 'a' }]}
      rowId={(row) => row.id}
      rowHeight={0}
      card={(row) => row.id}
      onRowClick={() => undefined}
    />,
  )
}

const heights: [Density, string][] = [
  ['compact', '28px'],
  ['comfortable', '36px'],
  ['preview', '28px'],
  ['compact', '28px'],
]

describe('the density of lists', () => {
  it('follows every change, also from and to the previews of the runs list', () => {
    renderGrid()
    for (const [density, height] of heights) {
      act(() => densityPreference.write(density))
      expect(screen.getAllByRole('row').at(-1)?.style.height, density).toBe(height)
    }
  })
})

import { type RefObject, useMemo } from 'react'
import { DEFAULT_SORT, deletingExamples } from '#data/examples.ts'
import { ExampleCard, toGridColumns } from '#domain/examples/examples-columns.tsx'
import type { Examples } from '#domain/examples/use-examples.ts'
import type { ExampleRow } from '#lib/datasets/example-rows.ts'
import type { ExamplesSearch } from '#lib/datasets/search.ts'
import { useStore } from '#lib/store.ts'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import type { ExamplesActions } from './-use-examples-actions.ts'

interface ExamplesGridProps {
  gridRef: RefObject<GridHandle | null>
  search: ExamplesSearch
  examples: Examples
  actions: ExamplesActions
  columnIds: readonly string[]
  canEdit: boolean
}

const ROW_HEIGHT = 28
const NONE: readonly never[] = []
const getRowId = (row: ExampleRow) => row.id

/** The examples as a table; rows whose page is still loading are gray bars. */
export function ExamplesGrid({ gridRef, search, examples, actions, columnIds, canEdit }: ExamplesGridProps) {
  const { selection, toggle, change, memory } = actions
  const { selectedIds } = selection
  const deletingIds = useStore(deletingExamples)
  const columns = useMemo(
    () =>
      toGridColumns(columnIds, {
        sort: search.sort ?? DEFAULT_SORT,
        defaultSort: DEFAULT_SORT,
        onSort: (sort) => change({ sort: sort === DEFAULT_SORT ? undefined : sort }),
        selectedIds,
        onSelect: canEdit ? toggle : undefined,
        deletingIds,
        first: examples.first ?? NONE,
      }),
    [columnIds, search.sort, change, selectedIds, toggle, canEdit, deletingIds, examples.first],
  )
  return (
    <DataGrid
      ref={gridRef}
      label="Examples"
      columns={columns}
      rows={examples.rows}
      rowId={getRowId}
      rowHeight={ROW_HEIGHT}
      card={(row) => <ExampleCard row={row} />}
      total={examples.rows.length}
      activeId={search.peek ?? actions.activeId}
      selectedIds={selectedIds}
      onRowClick={(row, event) => actions.clickRow(row.id, event)}
      onRowDoubleClick={(row) => actions.openPage(row.id)}
      onRange={examples.showRange}
      initialOffset={memory?.offset}
      onScroll={(offset) => actions.note({ offset })}
    />
  )
}

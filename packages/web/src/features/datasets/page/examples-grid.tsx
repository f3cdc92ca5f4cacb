import type { Dataset } from '@touchstone/sdk'
import { type RefObject, Suspense, useLayoutEffect, useMemo } from 'react'
import { useStore } from '#lib/store.ts'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { ExampleCard, toGridColumns } from '../examples/examples-columns.tsx'
import { toColumnId } from '../examples/logic/columns.ts'
import type { ExampleRow } from '../examples/logic/example-rows.ts'
import { DEFAULT_SORT, deletingExamples } from '../examples/queries.ts'
import type { Examples } from '../examples/use-examples.ts'
import type { ExamplesSearch } from '../search.ts'
import type { ExamplesActions } from './use-examples-actions.ts'

const CellEditor = lazyExtra(() => import('../examples/cell-editor.tsx').then((module) => module.CellEditor))

interface ExamplesGridProps {
  gridRef: RefObject<GridHandle | null>
  search: ExamplesSearch
  examples: Examples
  actions: ExamplesActions
  columnIds: readonly string[]
  canEdit: boolean
  dataset: Dataset | undefined
}

const ROW_HEIGHT = 28
const NONE: readonly never[] = []
const getRowId = (row: ExampleRow) => row.id

/** The examples as a table; rows whose page is still loading are gray bars. */
export function ExamplesGrid({ gridRef, search, examples, actions, columnIds, canEdit, dataset }: ExamplesGridProps) {
  const { selection, toggle, change, memory, cell } = actions
  const { selectedIds } = selection
  const deletingIds = useStore(deletingExamples)
  const { activeColumnId, edited } = cell
  // biome-ignore lint/correctness/useExhaustiveDependencies: the actions do the same in every render
  const editor = useMemo(
    () =>
      edited && {
        exampleId: edited.exampleId,
        columnId: toColumnId(edited.column),
        editor: (
          <Suspense>
            <CellEditor
              datasetId={dataset?.id ?? ''}
              cell={edited}
              schemas={{ inputs: dataset?.inputs_schema_definition, outputs: dataset?.outputs_schema_definition }}
              onClose={cell.stopEditing}
              onOpen={() => {
                cell.stopEditing()
                actions.peek(edited.exampleId)
              }}
            />
          </Suspense>
        ),
      },
    [edited, dataset],
  )
  useLayoutEffect(() => {
    if (activeColumnId === undefined) return
    const active = document.querySelector('[data-row][data-active] [data-active-cell]')
    active?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [activeColumnId])
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
        activeColumnId,
        edited: editor,
      }),
    [columnIds, search.sort, change, selectedIds, toggle, canEdit, deletingIds, examples.first, activeColumnId, editor],
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
      onRowFocus={(row) => actions.activate(row.id)}
      onRange={examples.showRange}
      initialOffset={memory?.offset}
      onScroll={(offset) => actions.note({ offset })}
    />
  )
}

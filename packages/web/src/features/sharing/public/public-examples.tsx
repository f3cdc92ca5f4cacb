import { useNavigate } from '@tanstack/react-router'
import type { PublicDataset } from '@touchstone/sdk'
import { Database, SearchX } from 'lucide-react'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { ExampleCard, toGridColumns } from '#features/datasets/examples/examples-columns.tsx'
import { getDefaultColumns, listKeys } from '#features/datasets/examples/logic/columns.ts'
import { type ExampleRow, isExampleId } from '#features/datasets/examples/logic/example-rows.ts'
import { type ExamplesView, toExamplesView } from '#features/datasets/examples/queries.ts'
import { useExamples } from '#features/datasets/examples/use-examples.ts'
import { Button } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'

interface PublicExamplesProps {
  token: string
  dataset: PublicDataset
  q: string
  onClearSearch: () => void
}

const getRowId = (row: ExampleRow) => row.id
const NOTHING: ReadonlySet<string> = new Set()

/** The examples of a shared dataset; a row opens the example. */
export function PublicExamples({ token, dataset, q, onClearSearch }: PublicExamplesProps) {
  const navigate = useNavigate()
  const text = useDeferredValue(q.trim())
  const view = useMemo(
    (): ExamplesView => ({ ...toExamplesView(dataset.id, { q: text || undefined }), share: token }),
    [dataset.id, token, text],
  )
  const examples = useExamples(view)
  const { first, rows, count } = examples
  const columns = useMemo(() => {
    const schemas = { inputs: dataset.inputs_schema_definition, outputs: dataset.outputs_schema_definition }
    const ids = getDefaultColumns(listKeys(first ?? [], schemas)).filter((id) => id !== 'modified')
    return toGridColumns(ids, {
      sort: '',
      defaultSort: '',
      onSort: () => {},
      selectedIds: NOTHING,
      onSelect: undefined,
      first: first ?? [],
    })
  }, [first, dataset])
  const grid = useRef<GridHandle>(null)
  const [activeId, setActiveId] = useState<string>()
  const open = (exampleId: string) => {
    if (isExampleId(exampleId)) {
      void navigate({ to: '/public/$token/d/e/$exampleId', params: { token, exampleId } })
    }
  }
  useGridKeys({ grid, ids: rows.map(getRowId), activeId, onActive: setActiveId, onOpen: open })
  if (count === undefined) {
    return examples.error ? (
      <ErrorState title="Could not load the examples" error={examples.error} onRetry={examples.retry} />
    ) : (
      <SkeletonRows rows={14} label="Loading examples" />
    )
  }
  if (count === 0) {
    return q.trim() === '' ? (
      <EmptyState icon={Database} title="This dataset has no examples" />
    ) : (
      <EmptyState
        icon={SearchX}
        title="No matching examples"
        actions={<Button onClick={onClearSearch}>Clear search</Button>}
      >
        No example contains “{q.trim()}”.
      </EmptyState>
    )
  }
  return (
    <>
      {examples.error && (
        <ErrorState compact title="Could not load some examples" error={examples.error} onRetry={examples.retry} />
      )}
      {dataset.description && (
        <p className="line-clamp-3 shrink-0 border-b border-border px-3 py-2 text-row text-fg-muted [overflow-wrap:anywhere]">
          {dataset.description}
        </p>
      )}
      <DataGrid
        ref={grid}
        label="Examples"
        columns={columns}
        rows={rows}
        rowId={getRowId}
        rowHeight={28}
        card={(row) => <ExampleCard row={row} />}
        total={rows.length}
        activeId={activeId}
        onRowClick={(row) => open(row.id)}
        onRange={examples.showRange}
      />
    </>
  )
}

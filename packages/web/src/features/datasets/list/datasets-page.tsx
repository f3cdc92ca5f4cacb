import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type Ref, Suspense, useMemo, useRef, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatCount } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import type { DatasetDialog } from '../dataset-dialogs.tsx'
import type { DatasetRow } from '../datasets-controller.ts'
import type { DatasetsSearch } from '../search.ts'
import { type ColumnsContext, DatasetCard, datasetColumns } from './datasets-columns.tsx'
import { DatasetsState } from './datasets-state.tsx'
import { useDatasets } from './use-datasets.ts'

const DatasetDialogs = lazyExtra(() => import('../dataset-dialogs.tsx').then((module) => module.DatasetDialogs))

const getRowId = (row: DatasetRow) => row.dataset.id

/** The datasets of the workspace with their newest experiments. */
export function DatasetsPage({ tenant, search }: { tenant: string; search: DatasetsSearch }) {
  const navigate = useNavigate({ from: '/o/$tenant/datasets/' })
  const canWrite = useMay('member')
  const datasets = useDatasets(search)
  const { rows, total, list } = datasets
  const { recall, note } = useEntryMemory<{ offset: number; activeId: string }>('datasets')
  const [memory] = useState(recall)
  const [activeId, setActiveId] = useState(memory?.activeId)
  const [dialog, setDialog] = useState<DatasetDialog>()
  const grid = useRef<GridHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const shown: DatasetDialog | undefined =
    dialog ?? (search.clone === undefined ? undefined : { kind: 'create', start: 'link', link: search.clone })

  const open = (datasetId: string) =>
    void navigate({ to: '/o/$tenant/datasets/$datasetId', params: { tenant, datasetId } })
  const close = () => {
    setDialog(undefined)
    if (search.clone !== undefined) {
      void navigate({ search: ({ clone: _, ...kept }) => kept, replace: true })
    }
  }
  function setActive(id: string) {
    setActiveId(id)
    note({ activeId: id })
  }
  const active = rows.find((row) => getRowId(row) === activeId)
  const openDialog = (kind: 'rename' | 'share' | 'delete') =>
    canWrite && active && setDialog({ kind, dataset: active.dataset })
  useGridKeys({ grid, ids: rows.map(getRowId), activeId, onActive: setActive, onOpen: open })
  useShortcuts('List', [
    { keys: '/', label: 'Search', run: () => field.current?.focus() },
    { keys: 'o', label: 'Open', run: () => active && open(getRowId(active)) },
    { keys: 'n', label: 'New dataset', run: () => canWrite && setDialog({ kind: 'create' }) },
    { keys: 'f2', label: 'Rename', run: () => openDialog('rename') },
    { keys: 'delete', label: 'Delete', run: () => openDialog('delete') },
  ])
  const context: ColumnsContext = {
    tenant,
    mayWrite: canWrite,
    sort: search.sort,
    onSort: (sort) => void navigate({ search: (kept) => ({ ...kept, sort }), replace: true }),
    onDialog: setDialog,
  }
  return (
    <PageFrame
      title="Datasets & experiments"
      actions={
        <Button
          look="primary"
          disabled={!canWrite}
          title={canWrite ? undefined : READ_ONLY}
          onClick={() => setDialog({ kind: 'create' })}
        >
          <Plus size={13} aria-hidden />
          New dataset
        </Button>
      }
      toolbar={
        <SearchField
          ref={field}
          label="Search datasets"
          placeholder="Search by name or metadata"
          value={search.q}
          onChange={(q) => void navigate({ search: (kept) => ({ ...kept, q }), replace: true })}
        />
      }
      status={
        list.isSuccess && (
          <span role="status">
            {rows.length === total ? formatCount(total) : `${formatCount(rows.length)} of ${formatCount(total)}`}
            {list.hasNextPage && '+'} {total === 1 ? 'dataset' : 'datasets'}
          </span>
        )
      }
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <DatasetsState
          tenant={tenant}
          search={search}
          datasets={datasets}
          canWrite={canWrite}
          onCreate={(start) => setDialog({ kind: 'create', start })}
          onClearSearch={() => void navigate({ search: (kept) => ({ ...kept, q: '' }) })}
        />
        {rows.length > 0 && (
          <DatasetsGrid
            gridRef={grid}
            rows={rows}
            context={context}
            activeId={activeId}
            isComplete={!list.hasNextPage}
            initialOffset={memory?.offset}
            onScroll={(offset) => note({ offset })}
            onOpen={(id) => {
              setActive(id)
              open(id)
            }}
          />
        )}
      </div>
      <Suspense>{shown && <DatasetDialogs dialog={shown} onClose={close} onCreated={open} />}</Suspense>
    </PageFrame>
  )
}

interface DatasetsGridProps {
  gridRef: Ref<GridHandle>
  rows: readonly DatasetRow[]
  context: ColumnsContext
  activeId: string | undefined
  isComplete: boolean
  initialOffset: number | undefined
  onScroll: (offset: number) => void
  onOpen: (datasetId: string) => void
}

function DatasetsGrid({ gridRef, rows, context, activeId, isComplete, initialOffset, ...on }: DatasetsGridProps) {
  const { tenant, mayWrite, sort } = context
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks do the same in every render
  const columns = useMemo(() => datasetColumns(context), [tenant, mayWrite, sort])
  return (
    <DataGrid
      ref={gridRef}
      label="Datasets"
      columns={columns}
      rows={rows}
      rowId={getRowId}
      rowHeight={32}
      card={(row) => <DatasetCard row={row} tenant={tenant} />}
      total={isComplete ? rows.length : undefined}
      activeId={activeId}
      onRowClick={(row) => on.onOpen(getRowId(row))}
      initialOffset={initialOffset}
      onScroll={on.onScroll}
    />
  )
}

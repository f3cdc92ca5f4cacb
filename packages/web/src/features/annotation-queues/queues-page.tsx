import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ListChecks, Plus, SearchX } from 'lucide-react'
import { Suspense, useMemo, useRef, useState } from 'react'
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
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import { countUnits } from './count-units.ts'
import { queueQuery } from './queries.ts'
import type { QueueDialog } from './queue-dialogs.tsx'
import { type QueueRow, selectQueues } from './queue-list.ts'
import { QueueCard, type QueueColumnsContext, queueColumns } from './queues-columns.tsx'
import type { QueuesSearch } from './search.ts'

const QueueDialogs = lazyExtra(() => import('./queue-dialogs.tsx').then((module) => module.QueueDialogs))

/** The annotation queues of the workspace with their progress; Enter starts the review. */
export function QueuesPage({ tenant, search }: { tenant: string; search: QueuesSearch }) {
  const navigate = useNavigate({ from: '/o/$tenant/annotation-queues/' })
  const mayWrite = useMay('member')
  const { names, rows, all } = useQueueRows(search.q)
  const [dialog, setDialog] = useState<QueueDialog>()
  const { recall, note } = useEntryMemory<{ offset: number; activeId: string }>('queues')
  const [memory] = useState(recall)
  const [activeId, setActiveId] = useState(memory?.activeId)
  const grid = useRef<GridHandle>(null)
  const field = useRef<HTMLInputElement>(null)

  const to = (page: '' | 'review' | 'settings') => (queueId: string) =>
    void navigate({ href: `/o/${tenant}/annotation-queues/${queueId}${page && `/${page}`}` })
  const [open, review, openSettings] = [to(''), to('review'), to('settings')]
  function activate(id: string) {
    setActiveId(id)
    note({ activeId: id })
  }
  function start(id: string) {
    const row = rows.find(({ queue }) => queue.id === id)
    if (mayWrite && row?.progress !== undefined && row.progress.needs_my_review > 0) review(id)
    else open(id)
  }
  const context: QueueColumnsContext = {
    tenant,
    mayWrite,
    onSettings: (row) => openSettings(row.queue.id),
    onDelete: (row) => setDialog({ kind: 'delete', queue: row.queue }),
  }
  useGridKeys({ grid, ids: rows.map(getRowId), activeId, onActive: activate, onOpen: start })
  useShortcuts('List', [
    { keys: '/', label: 'Search', run: () => field.current?.focus() },
    { keys: 'o', label: 'Open the items of the queue', run: () => activeId && open(activeId) },
    { keys: 'n', label: 'New queue', run: () => mayWrite && setDialog({ kind: 'create' }) },
  ])
  const isSearching = search.q !== ''
  return (
    <PageFrame
      title="Annotation queues"
      actions={
        <Button
          look="primary"
          disabled={!mayWrite}
          title={mayWrite ? undefined : READ_ONLY}
          onClick={() => setDialog({ kind: 'create' })}
        >
          <Plus size={13} aria-hidden />
          New queue
        </Button>
      }
      toolbar={
        <SearchField
          ref={field}
          label="Search annotation queues"
          placeholder="Search by name"
          value={search.q}
          onChange={(q) => void navigate({ search: { q }, replace: true })}
        />
      }
      status={names.isSuccess && <Status rows={rows} total={all.length} />}
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        {names.isPending && <SkeletonRows rows={8} label="Loading annotation queues" />}
        {names.isError && (
          <ErrorState
            title="Could not load annotation queues"
            error={names.error}
            onRetry={() => void names.refetch()}
          />
        )}
        {names.data && rows.length === 0 && (
          <Nothing
            search={search.q}
            onClear={() => void navigate({ search: { q: '' } })}
            onCreate={mayWrite ? () => setDialog({ kind: 'create' }) : undefined}
          />
        )}
        {rows.length > 0 && (
          <QueuesGrid
            gridRef={grid}
            rows={rows}
            context={context}
            activeId={activeId}
            total={isSearching ? undefined : rows.length}
            initialOffset={memory?.offset}
            onScroll={(offset) => note({ offset })}
            onOpen={(id) => {
              activate(id)
              open(id)
            }}
          />
        )}
      </div>
      <Suspense>
        {dialog && (
          <QueueDialogs
            dialog={dialog}
            onClose={() => setDialog(undefined)}
            onCreated={(queueId) => openSettings(queueId)}
          />
        )}
      </Suspense>
    </PageFrame>
  )
}

/** All queues; progress and names of datasets follow. */
function useQueueRows(text: string) {
  const names = useQuery(queueQuery.list())
  const queues = names.data
  const progress = useQuery({
    ...queueQuery.progress((queues ?? []).map(({ id }) => id)),
    enabled: queues !== undefined && queues.length > 0,
  })
  const datasetIds = [...new Set((queues ?? []).flatMap(({ default_dataset: id }) => id ?? []))].sort()
  const datasets = useQuery({ ...queueQuery.datasetNames(datasetIds), enabled: datasetIds.length > 0 })
  const all = useMemo(
    () =>
      (queues ?? []).map((queue) => {
        const found = progress.data?.get(queue.id)
        return {
          queue,
          progress: found && countUnits(queue, found),
          dataset: datasets.data?.get(queue.default_dataset ?? ''),
        }
      }),
    [queues, progress.data, datasets.data],
  )
  const rows = useMemo(() => selectQueues(all, text), [all, text])
  return { names, rows, all }
}

function Status({ rows, total }: { rows: readonly QueueRow[]; total: number }) {
  const waiting = rows.reduce((sum, { progress }) => sum + (progress?.needs_my_review ?? 0), 0)
  return (
    <span role="status">
      {rows.length === total ? formatCount(total) : `${formatCount(rows.length)} of ${formatCount(total)}`}{' '}
      {total === 1 ? 'queue' : 'queues'}, {formatCount(waiting)} waiting for you
    </span>
  )
}

interface NothingProps {
  search: string
  onClear: () => void
  /** Absent for users who may not create queues. */
  onCreate: (() => void) | undefined
}

function Nothing({ search, onClear, onCreate }: NothingProps) {
  if (search !== '') {
    return (
      <EmptyState
        icon={SearchX}
        title="No matching queues"
        actions={<Button onClick={onClear}>Clear search</Button>}
      >{`No queue has “${search}” in its name or description.`}</EmptyState>
    )
  }
  return (
    <EmptyState
      icon={ListChecks}
      title="No annotation queues yet"
      actions={onCreate && <Button onClick={onCreate}>New queue</Button>}
    >
      A queue collects runs for people to review against a rubric. Create one, then add runs with Q on a run, from
      selected rows of a project, or from an experiment.
    </EmptyState>
  )
}

interface QueuesGridProps {
  gridRef: React.Ref<GridHandle>
  rows: readonly QueueRow[]
  context: QueueColumnsContext
  activeId: string | undefined
  total: number | undefined
  initialOffset: number | undefined
  onScroll: (offset: number) => void
  onOpen: (queueId: string) => void
}

function QueuesGrid({ gridRef, rows, context, activeId, total, initialOffset, onScroll, onOpen }: QueuesGridProps) {
  return (
    <DataGrid
      ref={gridRef}
      label="Annotation queues"
      columns={queueColumns(context)}
      rows={rows}
      rowId={getRowId}
      rowHeight={36}
      card={(row) => <QueueCard row={row} tenant={context.tenant} />}
      total={total}
      activeId={activeId}
      onRowClick={({ queue }) => onOpen(queue.id)}
      initialOffset={initialOffset}
      onScroll={onScroll}
    />
  )
}

const getRowId = (row: QueueRow) => row.queue.id

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Download, ListChecks, Play, Settings2 } from 'lucide-react'
import { useReducer, useRef, useState } from 'react'
import { meQuery, useMay } from '#features/accounts/me.ts'
import { saveFile } from '#lib/browser.ts'
import { formatCount } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button, buttonLook } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { NARROW, useMedia } from '#ui/hooks.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { exportQueue, type QueueItemRow, queueMutation, queueQuery } from './queries.ts'
import { getItemHref, ItemCard, itemColumns } from './queue-columns.tsx'
import { isBlindReviewer, reduceSelection } from './queue-list.ts'
import { QUEUE_STATUSES, type QueueSearch, type QueueStatus } from './search.ts'

/** The second label is for phones. */
const LABELS: Record<QueueStatus, readonly [string, string]> = {
  needs_my_review: ['Waiting for me', 'Mine'],
  needs_others_review: ['Waiting for others', 'Others'],
  completed: ['Done', 'Done'],
}

interface QueuePageProps {
  tenant: string
  queueId: string
  search: QueueSearch
}

/** The items of an annotation queue by their progress for the caller. */
export function QueuePage({ tenant, queueId, search }: QueuePageProps) {
  const navigate = useNavigate({ from: '/o/$tenant/annotation-queues/$queueId/' })
  const mayWrite = useMay('member')
  const isNarrow = useMedia(NARROW)
  const queue = useQuery(queueQuery.one(queueId))
  const progress = useQuery(queueQuery.progress([queueId])).data?.get(queueId)
  const counts: Record<QueueStatus, number | undefined> = {
    needs_my_review: progress?.needs_my_review,
    needs_others_review: progress?.needs_others_review,
    completed: progress?.completed,
  }
  const review = (item?: string) =>
    void navigate({
      to: '/o/$tenant/annotation-queues/$queueId/review',
      params: { tenant, queueId },
      search: { item },
    })
  useShortcuts('List', [
    { keys: 's', label: 'Start reviewing', run: () => mayWrite && review() },
    {
      keys: 't',
      label: 'Next tab',
      run: () => void navigate({ search: { status: getNextStatus(search.status) } }),
    },
  ])
  if (queue.isError && !queue.data) {
    return (
      <PageFrame title="Annotation queue">
        <div className="flex-1">
          <ErrorState title="Could not load the queue" error={queue.error} onRetry={() => void queue.refetch()} />
        </div>
      </PageFrame>
    )
  }
  return (
    <PageFrame
      title={queue.data?.name ?? 'Annotation queue'}
      actions={<Actions tenant={tenant} queueId={queueId} name={queue.data?.name} mayWrite={mayWrite} />}
      toolbar={
        <Segmented
          label="Items"
          value={search.status}
          onChange={(status) => void navigate({ search: { status } })}
          options={QUEUE_STATUSES.map((value) => ({
            value,
            label: [LABELS[value][isNarrow ? 1 : 0], counts[value] !== undefined && formatCount(counts[value])]
              .filter(Boolean)
              .join(' '),
          }))}
        />
      }
      status={
        progress && (
          <span role="status">
            {formatCount(progress.completed)} done, {formatCount(progress.completed_by_me)} reviewed by you,{' '}
            {formatCount(progress.reserved)} reserved now
          </span>
        )
      }
    >
      <ItemList
        key={search.status}
        tenant={tenant}
        queueId={queueId}
        status={search.status}
        mayWrite={mayWrite}
        onReview={review}
      />
    </PageFrame>
  )
}

function getNextStatus(status: QueueStatus): QueueStatus {
  return QUEUE_STATUSES[(QUEUE_STATUSES.indexOf(status) + 1) % QUEUE_STATUSES.length] ?? status
}

interface ActionsProps {
  tenant: string
  queueId: string
  name: string | undefined
  mayWrite: boolean
}

function Actions({ tenant, queueId, name, mayWrite }: ActionsProps) {
  const save = useMutation({
    mutationFn: () => exportQueue(queueId),
    onSuccess: (text) => saveFile(`${name ?? queueId}.csv`, 'text/csv', [text]),
    onError: (cause) => toast.failure('Could not export the queue', cause),
  })
  const params = { tenant, queueId }
  return (
    <>
      <Button onClick={() => save.mutate()} disabled={save.isPending} title="Completed runs with every score, as CSV">
        <Download size={13} aria-hidden />
        <span className="max-sm:sr-only">{save.isPending ? 'Exporting…' : 'Export'}</span>
      </Button>
      <Link to="/o/$tenant/annotation-queues/$queueId/settings" params={params} className={buttonLook()}>
        <Settings2 size={13} aria-hidden />
        <span className="max-sm:sr-only">Settings</span>
      </Link>
      {mayWrite ? (
        <Link to="/o/$tenant/annotation-queues/$queueId/review" params={params} className={buttonLook('primary')}>
          <Play size={13} aria-hidden />
          Review
        </Link>
      ) : (
        <Button look="primary" disabled title={READ_ONLY}>
          Review
        </Button>
      )}
    </>
  )
}

interface ItemListProps {
  tenant: string
  queueId: string
  status: QueueStatus
  mayWrite: boolean
  onReview: (itemId: string) => void
}

const NOTHING: ReadonlySet<string> = new Set()

function ItemList({ tenant, queueId, status, mayWrite, onReview }: ItemListProps) {
  const navigate = useNavigate()
  const read = useInfiniteQuery(queueQuery.items(queueId, status))
  const rows = (read.data?.pages ?? []).flatMap((page) => page.rows)
  const queue = useQuery(queueQuery.one(queueId)).data
  const me = useQuery(meQuery.current()).data
  const isBlind = queue !== undefined && me !== undefined && isBlindReviewer(queue, me)
  const [activeId, setActiveId] = useState<string>()
  const [selected, dispatch] = useReducer(reduceSelection, NOTHING)
  const grid = useRef<GridHandle>(null)
  const remove = useMutation(queueMutation.removeItems(useQueryClient()))
  function open(id: string) {
    const row = rows.find(({ item }) => item.id === id)
    if (status === 'needs_my_review' && mayWrite) onReview(id)
    else if (row) void navigate({ href: getItemHref(tenant, row) })
  }
  function removeSelected() {
    const itemIds = rows.map(getRowId).filter((id) => selected.has(id))
    remove.mutate(
      { queueId, itemIds },
      {
        onSuccess: () => toast.done(`Removed ${formatCount(itemIds.length)} from the queue`),
        onError: (cause) => toast.failure('Could not remove the items', cause),
        onSettled: () => dispatch({ kind: 'clear' }),
      },
    )
  }
  useGridKeys({ grid, ids: rows.map(getRowId), activeId, onActive: setActiveId, onOpen: open })
  useShortcuts('List', [
    { keys: 'x', label: 'Select', run: () => activeId && mayWrite && dispatch({ kind: 'toggle', id: activeId }) },
  ])
  if (read.isPending) return <SkeletonRows rows={10} label="Loading items" />
  if (read.isError && !read.data) {
    return (
      <div className="flex-1">
        <ErrorState title="Could not load the items" error={read.error} onRetry={() => void read.refetch()} />
      </div>
    )
  }
  if (rows.length === 0) return <NoItems status={status} />
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      {selected.size > 0 && (
        <div className="flex h-9 shrink-0 items-center gap-2 border-b border-border bg-selected px-3 text-row">
          <span role="status">{formatCount(selected.size)} selected</span>
          <Button look="danger" disabled={remove.isPending} onClick={removeSelected}>
            Remove from queue
          </Button>
          <Button onClick={() => dispatch({ kind: 'clear' })}>Clear</Button>
        </div>
      )}
      <DataGrid
        ref={grid}
        label="Items"
        columns={itemColumns({
          tenant,
          selected,
          onSelect: mayWrite ? (id) => dispatch({ kind: 'toggle', id }) : undefined,
          hidesScores: ({ item }) => isBlind && status !== 'completed' && !item.completed_by.includes(me?.id ?? ''),
        })}
        rows={rows}
        rowId={getRowId}
        rowHeight={32}
        card={(row) => <ItemCard row={row} />}
        total={read.hasNextPage ? undefined : rows.length}
        activeId={activeId}
        selectedIds={selected}
        onNearEnd={() => read.hasNextPage && !read.isFetchingNextPage && void read.fetchNextPage()}
        onRowClick={(row) => {
          setActiveId(row.item.id)
          open(row.item.id)
        }}
      />
    </div>
  )
}

const NO_ITEMS: Record<QueueStatus, { title: string; text: string }> = {
  needs_my_review: {
    title: 'Nothing needs your review',
    text: 'Add runs with Q on a run, from selected rows of a project, or from an experiment.',
  },
  needs_others_review: {
    title: 'Nothing waits for others',
    text: 'Here are items that you have reviewed while others still have to, and items that others have reserved.',
  },
  completed: { title: 'Nothing is done yet', text: 'Items come here when enough people have reviewed them.' },
}

function NoItems({ status }: { status: QueueStatus }) {
  return (
    <div className="flex-1">
      <EmptyState icon={ListChecks} title={NO_ITEMS[status].title}>
        {NO_ITEMS[status].text}
      </EmptyState>
    </div>
  )
}

const getRowId = ({ item }: QueueItemRow) => item.id

import { Ellipsis, Play, Settings2, Trash2 } from 'lucide-react'
import { formatAbsoluteTime, formatCount, formatRelativeTime, UNKNOWN } from '#lib/format.ts'
import { buttonLook, IconButton } from '#ui/button.tsx'
import type { Column } from '#ui/grid-columns.tsx'
import { LightLink } from '#ui/light-link.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { Skeleton } from '#ui/states.tsx'
import { describeReservation, describeReviewers, getActivity, type QueueRow, toShares } from './queue-list.ts'

export interface QueueColumnsContext {
  tenant: string
  mayWrite: boolean
  onSettings: (row: QueueRow) => void
  onDelete: (row: QueueRow) => void
}

export function queueColumns(context: QueueColumnsContext): Column<QueueRow>[] {
  const { tenant } = context
  const figure = (id: string, header: string, pick: (progress: NonNullable<QueueRow['progress']>) => number) => ({
    id,
    header,
    width: '104px',
    align: 'end' as const,
    cell: ({ progress }: QueueRow) =>
      progress ? <span className="num">{formatCount(pick(progress))}</span> : <Skeleton className="ml-auto w-6" />,
  })
  return [
    { id: 'name', header: 'Name', width: 'minmax(200px, 3fr)', cell: (row) => <QueueName row={row} tenant={tenant} /> },
    figure('mine', 'Waiting for me', (progress) => progress.needs_my_review),
    figure('others', 'For others', (progress) => progress.needs_others_review),
    figure('done', 'Done', (progress) => progress.completed),
    {
      id: 'progress',
      header: 'Progress',
      width: 'minmax(96px, 1fr)',
      cell: ({ progress, queue }) => progress && <ProgressBar progress={progress} name={queue.name} />,
    },
    {
      id: 'reviewers',
      header: 'Reviews per item',
      width: '116px',
      cell: ({ queue }) => <span title="Reviews that complete an item, and by whom">{describeReviewers(queue)}</span>,
    },
    {
      id: 'reserve',
      header: 'Reserved for',
      width: '92px',
      cell: ({ queue, progress }) => (
        <span title={progress ? `${formatCount(progress.reserved)} reserved now` : undefined}>
          {describeReservation(queue) ?? UNKNOWN}
        </span>
      ),
    },
    {
      id: 'dataset',
      header: 'Default dataset',
      width: 'minmax(110px, 1fr)',
      cell: ({ queue, dataset }) =>
        queue.default_dataset ? (
          <LightLink
            href={`/o/${tenant}/datasets/${queue.default_dataset}`}
            tabIndex={-1}
            className="truncate hover:underline"
          >
            {dataset ?? queue.default_dataset}
          </LightLink>
        ) : (
          <span className="text-fg-subtle">{UNKNOWN}</span>
        ),
    },
    { id: 'activity', header: 'Last activity', width: '124px', cell: (row) => <Activity row={row} /> },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: '116px',
      align: 'end',
      cell: (row) => <RowActions row={row} {...context} />,
    },
  ]
}

function QueueName({ row: { queue }, tenant }: { row: QueueRow; tenant: string }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <LightLink
        href={`/o/${tenant}/annotation-queues/${queue.id}`}
        tabIndex={-1}
        title={queue.name}
        dir="auto"
        className="max-w-full shrink-0 truncate font-medium text-fg hover:underline"
      >
        {queue.name}
      </LightLink>
      {queue.queue_type === 'pairwise' && (
        <span className="shrink-0 rounded-control bg-sunken px-1.5 text-meta text-fg-muted">pairwise</span>
      )}
      {queue.description && (
        <span dir="auto" className="truncate text-fg-subtle">
          {queue.description}
        </span>
      )}
    </span>
  )
}

function Activity({ row }: { row: QueueRow }) {
  const at = getActivity(row)
  return <span title={formatAbsoluteTime(at)}>{formatRelativeTime(at)}</span>
}

function RowActions({ row, tenant, mayWrite, onSettings, onDelete }: { row: QueueRow } & QueueColumnsContext) {
  const { id, name } = row.queue
  return (
    <span className="flex items-center justify-end gap-1">
      {mayWrite && row.progress !== undefined && row.progress.needs_my_review > 0 && (
        <LightLink
          href={`/o/${tenant}/annotation-queues/${id}/review`}
          tabIndex={-1}
          aria-label={`Start reviewing ${name}`}
          className={buttonLook('plain')}
        >
          <Play size={12} aria-hidden />
          Start
        </LightLink>
      )}
      {mayWrite && (
        <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of ${name}`} tabIndex={-1} />}>
          <MenuItem icon={<Settings2 size={13} />} onSelect={() => onSettings(row)}>
            Settings
          </MenuItem>
          <MenuItem icon={<Trash2 size={13} />} danger onSelect={() => onDelete(row)}>
            Delete…
          </MenuItem>
        </Menu>
      )}
    </span>
  )
}

/** Done, waiting for others, waiting for me, as a bar. */
export function ProgressBar({ progress, name }: { progress: NonNullable<QueueRow['progress']>; name: string }) {
  const { done, others, total } = toShares(progress)
  const words = `${formatCount(progress.completed)} of ${formatCount(total)} done`
  return (
    <span
      role="img"
      aria-label={`Progress of ${name}: ${words}, ${formatCount(progress.needs_my_review)} waiting for you`}
      title={words}
      className="flex h-2 w-full overflow-hidden rounded-control bg-sunken"
    >
      <span className="bg-ok" style={{ width: `${done * 100}%` }} />
      <span className="bg-border-strong" style={{ width: `${others * 100}%` }} />
    </span>
  )
}

/** A queue in two lines, for phones. */
export function QueueCard({ row, tenant }: { row: QueueRow; tenant: string }) {
  const { progress } = row
  return (
    <div className="flex w-full min-w-0 flex-col gap-1.5">
      <div className="flex items-center gap-2 text-base">
        <QueueName row={row} tenant={tenant} />
        <span className="ml-auto shrink-0 text-row text-fg-muted">
          <Activity row={row} />
        </span>
      </div>
      {progress && (
        <div className="flex items-center gap-3 text-fg-muted">
          <span className="whitespace-nowrap">{formatCount(progress.needs_my_review)} for me</span>
          <span className="whitespace-nowrap">{formatCount(progress.completed)} done</span>
          <ProgressBar progress={progress} name={row.queue.name} />
        </div>
      )}
    </div>
  )
}

import { formatAbsoluteTime, formatCount, formatRelativeTime, formatScore, UNKNOWN } from '#lib/format.ts'
import { printSearch } from '#lib/search-schema.ts'
import { stripTerminalCodes } from '#lib/terminal-text.ts'
import type { Column } from '#ui/grid-columns.tsx'
import { LightLink } from '#ui/light-link.tsx'
import { StatusMark } from '#ui/run-icons.tsx'
import { Preview } from '#ui/states.tsx'
import type { QueueItemRow } from './queries.ts'

export interface ItemColumnsContext {
  tenant: string
  selected: ReadonlySet<string>
  /** Absent for users who may not change the queue. */
  onSelect: ((itemId: string) => void) | undefined
  /** Whether the scores of an item are hidden from the reader, who has not completed it. */
  hidesScores: (row: QueueItemRow) => boolean
}

export function itemColumns({ tenant, selected, onSelect, hidesScores }: ItemColumnsContext): Column<QueueItemRow>[] {
  const select: Column<QueueItemRow> = {
    id: 'select',
    header: <span className="sr-only">Selected</span>,
    width: '32px',
    cell: ({ item }) => (
      <input
        type="checkbox"
        className="block"
        tabIndex={-1}
        aria-label={`Select item ${item.id}`}
        checked={selected.has(item.id)}
        onChange={() => onSelect?.(item.id)}
      />
    ),
  }
  return [
    ...(onSelect ? [select] : []),
    {
      id: 'name',
      header: 'Item',
      width: 'minmax(140px, 1fr)',
      cell: (row) => (
        <span className="flex min-w-0 items-center gap-2">
          {row.run && (
            <StatusMark status={row.run.status} start_time={row.run.start_time} end_time={row.run.end_time} />
          )}
          <LightLink
            href={getItemHref(tenant, row)}
            tabIndex={-1}
            dir="auto"
            className="truncate text-fg hover:underline"
          >
            {getItemName(row)}
          </LightLink>
        </span>
      ),
    },
    {
      id: 'input',
      header: 'Input',
      width: 'minmax(140px, 2fr)',
      cell: ({ run }) => (
        <span className="truncate text-fg-muted">
          <Preview derived={run?.derived_payloads} side="inputs">
            {run?.inputs_preview ?? ''}
          </Preview>
        </span>
      ),
    },
    {
      id: 'output',
      header: 'Output',
      width: 'minmax(140px, 2fr)',
      cell: ({ run }) => (
        <span className={run?.error_preview ? 'truncate text-err' : 'truncate text-fg-muted'}>
          <Preview derived={run?.error_preview ? undefined : run?.derived_payloads} side="outputs">
            {stripTerminalCodes(run?.error_preview || run?.outputs_preview || '')}
          </Preview>
        </span>
      ),
    },
    {
      id: 'scores',
      header: 'Scores',
      width: 'minmax(140px, 1fr)',
      cell: (row) => (hidesScores(row) ? HIDDEN_SCORES : <Scores row={row} />),
    },
    {
      id: 'reviews',
      header: 'Reviews',
      width: '120px',
      cell: ({ item }) => describeReviews(item),
    },
    {
      id: 'added',
      header: 'Added',
      width: '128px',
      cell: ({ item }) => <span title={formatAbsoluteTime(item.added_at)}>{formatRelativeTime(item.added_at)}</span>,
    },
    {
      id: 'reviewed',
      header: 'Last review',
      width: '128px',
      cell: ({ item }) => (
        <span title={item.last_reviewed_time ?? undefined}>{formatRelativeTime(item.last_reviewed_time)}</span>
      ),
    },
  ]
}

const HIDDEN_SCORES = (
  <span className="text-fg-subtle" title="Scores are shown after you have completed the item">
    Hidden
  </span>
)

/** The first score; a narrow column truncates its key, never the number. */
function Scores({ row }: { row: QueueItemRow }) {
  const scores = Object.entries(row.run?.feedback_stats ?? {}).map(([key, { avg, n }]) => ({
    key,
    mark: avg === null ? `×${n}` : formatScore(avg),
  }))
  const [first] = scores
  if (first === undefined) return null
  return (
    <span title={scores.map(({ key, mark }) => `${key} ${mark}`).join('\n')} className="flex min-w-0 gap-1">
      <span className="truncate text-fg-muted">{first.key}</span>
      <span className="num shrink-0">{first.mark}</span>
      {scores.length > 1 && <span className="ml-1 shrink-0 text-fg-muted">+{scores.length - 1}</span>}
    </span>
  )
}

/** A thread has the id that its program gave it. */
export function getItemName({ item, run }: QueueItemRow): string {
  if (item.item_type === 'THREAD') return `Thread ${item.thread_id ?? ''}`
  return run?.name ?? 'Deleted run'
}

/** Where the run or thread of an item is. */
export function getItemHref(tenant: string, { item, run }: QueueItemRow): string {
  const project = `/o/${tenant}/projects/p/${item.project_id}`
  if (item.item_type === 'THREAD') return `${project}/threads/${encodeURIComponent(item.thread_id ?? '')}`
  return `${project}/r/${item.run_id}${printSearch({ trace_id: run?.trace_id })}`
}

function describeReviews({ completed_by: done, reserved_by: reserved }: QueueItemRow['item']): string {
  const parts = [done.length > 0 && `${formatCount(done.length)} done`, reserved.length > 0 && 'reserved']
  return parts.filter(Boolean).join(', ') || UNKNOWN
}

/** An item in two lines, for phones. */
export function ItemCard({ row }: { row: QueueItemRow }) {
  return (
    <div className="flex w-full min-w-0 flex-col gap-1">
      <div className="flex items-center gap-2 text-base">
        <span dir="auto" className="truncate font-medium">
          {getItemName(row)}
        </span>
        <span className="ml-auto shrink-0 text-row text-fg-muted">{describeReviews(row.item)}</span>
      </div>
      <div className="truncate text-fg-muted">
        <Preview derived={row.run?.derived_payloads} side="inputs">
          {row.run?.inputs_preview ?? ''}
        </Preview>
      </div>
    </div>
  )
}

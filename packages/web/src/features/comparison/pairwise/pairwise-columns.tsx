import type { ComparativeExperiment } from '@touchstone/sdk'
import { Trash2 } from 'lucide-react'
import { formatAbsoluteTime, formatRelativeTime, formatScore, pluralize } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import type { Column } from '#ui/grid-columns.tsx'
import { useNow } from '#ui/hooks.tsx'

/** A comparison in a row: what was compared, and the mean scores of each side. */
export function pairwiseColumns(
  onDelete: ((comparison: ComparativeExperiment) => void) | undefined,
): readonly Column<ComparativeExperiment>[] {
  return [
    { id: 'name', header: 'Name', width: 'minmax(180px, 2fr)', cell: (row) => <Name comparison={row} /> },
    {
      id: 'experiments',
      header: 'Experiments',
      width: 'minmax(220px, 3fr)',
      cell: (row) => <Sides comparison={row} />,
    },
    { id: 'results', header: 'Mean scores', width: 'minmax(220px, 3fr)', cell: (row) => <Results comparison={row} /> },
    { id: 'created', header: 'Created', width: '120px', cell: (row) => <Created comparison={row} /> },
    ...(onDelete
      ? [
          {
            id: 'delete',
            header: <span className="sr-only">Actions</span>,
            width: '48px',
            cell: (row: ComparativeExperiment) => (
              <IconButton icon={Trash2} label={`Delete ${row.name ?? 'comparison'}`} onClick={() => onDelete(row)} />
            ),
          },
        ]
      : []),
  ]
}

/** The same on phone widths. */
export function PairwiseCard({ comparison }: { comparison: ComparativeExperiment }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <Name comparison={comparison} />
      <span className="truncate text-meta text-fg-muted">
        <Results comparison={comparison} />
      </span>
    </div>
  )
}

interface CellProps {
  comparison: ComparativeExperiment
}

function Name({ comparison: { name, description } }: CellProps) {
  return (
    <span className="block truncate font-medium" title={description ?? name ?? undefined}>
      {name ?? 'Unnamed comparison'}
    </span>
  )
}

function Sides({ comparison }: CellProps) {
  const names = (comparison.experiments_info ?? []).map(({ name }) => name)
  const text = names.length === 0 ? 'Experiments were deleted' : names.join(' vs. ')
  return (
    <span className="block truncate" title={text}>
      {text}
    </span>
  )
}

/** `helpful 0.66 vs. 0.34 (88 scores)`: the means in the order of the experiments. */
function Results({ comparison: { feedback_stats, experiments_info = [] } }: CellProps) {
  const keys = Object.entries(feedback_stats ?? {})
  if (keys.length === 0) return <span className="text-fg-subtle">No scores</span>
  const text = keys
    .map(([key, sides]) => {
      const stats = experiments_info.map(({ id }) => sides[id])
      const n = Math.max(0, ...stats.map((stat) => stat?.n ?? 0))
      return `${key} ${stats.map((stat) => formatScore(stat?.avg)).join(' vs. ')} (${pluralize(n, 'score')})`
    })
    .join(', ')
  return (
    <span className="block truncate tabular-nums" title={text}>
      {text}
    </span>
  )
}

function Created({ comparison: { created_at } }: CellProps) {
  const now = useNow(60_000)
  return <time title={formatAbsoluteTime(created_at)}>{formatRelativeTime(created_at, now)}</time>
}

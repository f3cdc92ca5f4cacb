import { ArrowDown, ArrowUp } from 'lucide-react'
import { formatCount, formatRelativeTime } from '#lib/format/format.ts'
import { Button } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'
import { type KeyRow, describeScale } from './-key-rows.ts'

export interface KeyTableProps {
  rows: readonly KeyRow[]
  onEdit: (row: KeyRow) => void
  onDelete: (row: KeyRow) => void
}

const COLUMNS = [
  ...['Key', 'Type', 'Range or categories', 'Better'],
  { title: 'Given', isNumber: true as const },
  'Last',
]

/** Every key that has a config or was given, with what its scores mean. */
export function KeyTable({ rows, onEdit, onDelete }: KeyTableProps) {
  return (
    <CardTable columns={COLUMNS} hasActions isSticky>
      {rows.map((row) => (
        <CardRow key={row.key}>
          <th
            scope="row"
            className="max-w-80 truncate px-3 font-mono font-medium max-sm:w-full max-sm:max-w-full max-sm:p-0"
            title={row.key}
          >
            {row.key}
          </th>
          <td className="px-3 max-sm:p-0">{row.config ? TYPES[row.config.feedback_config.type] : 'no config'}</td>
          <td className="max-w-72 truncate px-3 text-fg-muted max-sm:p-0" title={describeScale(row.config)}>
            {describeScale(row.config)}
          </td>
          <td className="px-3 max-sm:p-0">
            <Direction row={row} />
          </td>
          <td className="num px-3 max-sm:p-0">
            {formatCount(row.count)}
            <span className="sm:sr-only"> given</span>
          </td>
          <td className="px-3 text-fg-muted max-sm:hidden">
            {row.lastGivenAt ? formatRelativeTime(row.lastGivenAt).replace(/\.\d{3}$/, '') : 'never'}
          </td>
          <td className="whitespace-nowrap px-3 text-right max-sm:ml-auto max-sm:p-0">
            <span className="inline-flex gap-1.5">
              <Button
                onClick={() => onEdit(row)}
                aria-label={row.config ? `Edit ${row.key}` : `Add a config for ${row.key}`}
              >
                {row.config ? 'Edit' : 'Add config'}
              </Button>
              {row.config && (
                <Button look="danger" onClick={() => onDelete(row)} aria-label={`Delete ${row.key}`}>
                  Delete
                </Button>
              )}
            </span>
          </td>
        </CardRow>
      ))}
    </CardTable>
  )
}

function Direction({ row }: { row: KeyRow }) {
  if (!row.config || row.config.feedback_config.type === 'freeform') return null
  const isLower = row.config.is_lower_score_better
  const Arrow = isLower ? ArrowDown : ArrowUp
  return (
    <span className="inline-flex items-center gap-1">
      <Arrow size={13} aria-hidden />
      {isLower ? 'lower' : 'higher'}
    </span>
  )
}

const TYPES = { continuous: 'number', categorical: 'category', freeform: 'free text' } as const

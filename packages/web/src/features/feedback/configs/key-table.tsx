import type { FeedbackConfigSchema, FeedbackKeyUsage } from '@touchstone/sdk'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { formatCount, formatRelativeTime } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'

export interface KeyTableProps {
  rows: readonly KeyRow[]
  onEdit: (row: KeyRow) => void
  onDelete: (row: KeyRow) => void
}

const COLUMNS = [
  ...['Key', 'Type', 'Range or categories', 'Better'],
  { title: 'Count', isNumber: true as const },
  'Last used',
]

/** Feedback keys with a configuration or with records. */
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
          <td className="px-3 max-sm:p-0">{row.config ? TYPES[row.config.feedback_config.type] : 'Not defined'}</td>
          <td className="max-w-72 truncate px-3 text-fg-muted max-sm:p-0" title={describeScale(row.config)}>
            {describeScale(row.config)}
          </td>
          <td className="px-3 max-sm:p-0">
            <Direction row={row} />
          </td>
          <td className="num px-3 max-sm:p-0">
            {formatCount(row.count)}
            <span className="sm:sr-only"> records</span>
          </td>
          <td className="px-3 text-fg-muted max-sm:hidden">
            {row.lastGivenAt ? formatRelativeTime(row.lastGivenAt).replace(/\.\d{3}$/, '') : 'Never'}
          </td>
          <td className="whitespace-nowrap px-3 text-right max-sm:ml-auto max-sm:p-0">
            <span className="inline-flex gap-1.5">
              <Button onClick={() => onEdit(row)} aria-label={row.config ? `Edit ${row.key}` : `Define ${row.key}`}>
                {row.config ? 'Edit' : 'Define'}
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
      {isLower ? 'Lower' : 'Higher'}
    </span>
  )
}

const TYPES = { continuous: 'Number', categorical: 'Category', freeform: 'Free text' } as const

/** A feedback key with a configuration, with records, or both. */
export interface KeyRow {
  key: string
  config: FeedbackConfigSchema | undefined
  /** Number of records. */
  count: number
  lastGivenAt: string | undefined
}

/** Configured keys first, then the others; each by name. */
export function buildKeyRows(configs: readonly FeedbackConfigSchema[], usage: readonly FeedbackKeyUsage[]): KeyRow[] {
  const used = new Map(usage.map((one) => [one.feedback_key, one]))
  const withConfig = configs.map((config) => toKeyRow(config.feedback_key, config, used.get(config.feedback_key)))
  const known = new Set(configs.map((config) => config.feedback_key))
  const others = usage
    .filter((one) => !known.has(one.feedback_key))
    .map((one) => toKeyRow(one.feedback_key, undefined, one))
  const byKey = (one: KeyRow, other: KeyRow) => (one.key < other.key ? -1 : 1)
  return [...withConfig.sort(byKey), ...others.sort(byKey)]
}

function toKeyRow(key: string, config: FeedbackConfigSchema | undefined, usage: FeedbackKeyUsage | undefined): KeyRow {
  return { key, config, count: usage?.feedback_count ?? 0, lastGivenAt: usage?.last_given_at }
}

/** Describes the range or the categories of a key. */
function describeScale(config: FeedbackConfigSchema | undefined): string {
  if (!config) return ''
  const { type, min, max, categories } = config.feedback_config
  if (type === 'freeform') return 'Any text'
  if (type === 'categorical') {
    return (categories ?? []).map(({ value, label }) => (label ? `${label} ${value}` : String(value))).join(', ')
  }
  if (min == null && max == null) return 'Any number'
  if (max == null) return `From ${min}`
  return min == null ? `Up to ${max}` : `${min} to ${max}`
}

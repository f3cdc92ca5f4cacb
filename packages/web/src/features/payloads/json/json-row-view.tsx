import { ChevronDown, ChevronRight, FileImage } from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import { cx } from '#lib/browser.ts'
import { formatBytes, formatCount } from '#lib/format.ts'
import type { JsonRow } from '#lib/json/json-rows.ts'

export const ROW_HEIGHT = 20

export interface JsonRowViewProps {
  row: JsonRow
  id: string
  top: number
  current: boolean
  flashing: boolean
  query: string
  actions: ReactNode
  onPress: (event: MouseEvent) => void
}

/** One row of a document: a key and its value, or a line of an opened string. */
export function JsonRowView({ row, id, top, current, flashing, query, actions, onPress }: JsonRowViewProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree holds the focus and hears the keys
    <div
      role="treeitem"
      id={id}
      tabIndex={-1}
      aria-level={row.depth + 1}
      aria-selected={current}
      {...(row.open === undefined ? {} : { 'aria-expanded': row.open })}
      onClick={onPress}
      style={{ height: ROW_HEIGHT, transform: `translateY(${top}px)`, paddingLeft: 6 + row.depth * 14 }}
      className={cx(
        'absolute inset-x-0 top-0 flex items-center gap-1 whitespace-pre pr-2 font-mono text-row',
        current ? 'bg-selected' : 'hover:bg-hover',
        flashing && 'animate-flash',
      )}
    >
      {row.what === 'value' ? (
        <Value row={row} query={query} />
      ) : row.what === 'line' ? (
        <Line row={row} query={query} />
      ) : (
        <More row={row} />
      )}
      {actions}
    </div>
  )
}

function Value({ row, query }: { row: JsonRow; query: string }) {
  const Caret = row.open ? ChevronDown : ChevronRight
  return (
    <>
      <span aria-hidden className="flex w-3.5 shrink-0 justify-center text-fg-subtle">
        {row.open !== undefined && <Caret size={12} />}
      </span>
      {row.key !== undefined && (
        <span className={cx('shrink-0', typeof row.key === 'number' ? 'text-fg-subtle' : 'text-fg')}>
          <Marked text={String(row.key)} query={query} />
          <span className="text-fg-subtle">:</span>
        </span>
      )}
      <span className="min-w-0 truncate" style={{ color: INK[row.kind] }}>
        {row.media && !row.open ? (
          <span className="inline-flex items-center gap-1.5 rounded-control bg-sunken px-1.5 text-fg">
            <FileImage size={12} aria-hidden />
            {row.media}
            <span className="text-fg-muted">{formatBytes(row.bytes - 2)}</span>
          </span>
        ) : row.kind === 'string' && !row.open && row.json !== 'open' ? (
          <Marked text={`"${row.text}"`} query={query} />
        ) : (
          <Marked text={summaryOf(row)} query={query} />
        )}
      </span>
    </>
  )
}

function Line({ row, query }: { row: JsonRow; query: string }) {
  return (
    <span className="min-w-0 truncate border-l border-border pl-3" style={{ color: INK.string }}>
      {row.text === '' ? <span className="sr-only">Empty line</span> : <Marked text={row.text} query={query} />}
    </span>
  )
}

function More({ row }: { row: JsonRow }) {
  return <span className="border-l border-border pl-3 text-accent">show {formatBytes(row.bytes)} more</span>
}

/** Text with what is searched for marked in it. */
function Marked({ text, query }: { text: string; query: string }) {
  if (query === '') return text
  const pieces: ReactNode[] = []
  const lower = text.toLowerCase()
  const sought = query.toLowerCase()
  let from = 0
  for (let at = lower.indexOf(sought); at !== -1 && pieces.length < 200; at = lower.indexOf(sought, from)) {
    pieces.push(
      text.slice(from, at),
      <mark key={at} className="rounded-[2px] bg-add-mark text-fg">
        {text.slice(at, at + query.length)}
      </mark>,
    )
    from = at + query.length
  }
  return [...pieces, text.slice(from)]
}

const INK: Record<JsonRow['kind'], string> = {
  object: 'var(--fg-subtle)',
  array: 'var(--fg-subtle)',
  string: 'var(--type-retriever-ink)',
  number: 'var(--type-embedding-ink)',
  boolean: 'var(--type-llm-ink)',
  null: 'var(--fg-subtle)',
}

function summaryOf(row: JsonRow): string {
  if (row.json === 'open') return `${formatCount(row.count)} in JSON of ${formatBytes(row.bytes - 2)}`
  if (row.kind === 'string') return row.open ? formatBytes(row.bytes - 2) : row.text
  if (row.kind !== 'object' && row.kind !== 'array') return row.text
  const count = formatCount(row.count)
  const size = row.open || row.bytes < 10_000 ? '' : `  ${formatBytes(row.bytes)}`
  return row.kind === 'object' ? `{${count}}${size}` : `[${count}]${size}`
}

import type { Example } from '@touchstone/sdk'
import type { ReactNode } from 'react'
import { formatAbsoluteTime, formatCount } from '#lib/format.ts'
import { getSortDirection, nextSort } from '#lib/run-columns.ts'
import type { Column } from '#ui/grid-columns.tsx'
import { Skeleton } from '#ui/states.tsx'
import {
  type ContentColumn,
  type FixedColumn,
  getColumnLabel,
  isShortColumn,
  parseColumnId,
  readContent,
  readSplits,
  toCellText,
} from './logic/columns.ts'
import type { ExampleRow } from './logic/example-rows.ts'

export interface ColumnsContext {
  sort: string
  defaultSort: string
  onSort: (sort: string) => void
  selectedIds: ReadonlySet<string>
  /** Absent for viewers, who cannot do anything with a selection. */
  onSelect: ((id: string) => void) | undefined
  /** Examples that are being deleted, while this can be undone. */
  deletingIds?: ReadonlySet<string>
  /** The first examples, which decide how wide columns are. */
  first: readonly Example[]
  /** Id of the column whose cell in the active row has the focus. */
  activeColumnId?: string | undefined
  /** The editor of the cell that is edited in place. */
  edited?: { readonly exampleId: string; readonly columnId: string; readonly editor: ReactNode } | undefined
}

/** Grid columns for column ids: checkbox, position, then the ids. */
export function toGridColumns(ids: readonly string[], context: ColumnsContext): Column<ExampleRow>[] {
  const select = context.onSelect === undefined ? [] : [selectColumn(context.selectedIds, context.onSelect)]
  const content = ids.flatMap((id) => toGridColumn(id, context) ?? [])
  return [...select, NUMBER_COLUMN, ...content.map((column) => strikeDeleting(column, context.deletingIds))]
}

function strikeDeleting(column: Column<ExampleRow>, deletingIds: ReadonlySet<string> | undefined): Column<ExampleRow> {
  if (deletingIds === undefined || deletingIds.size === 0) return column
  const cell = (row: ExampleRow) =>
    deletingIds.has(row.id) ? <del className="text-fg-subtle">{column.cell(row)}</del> : column.cell(row)
  return { ...column, cell }
}

const NUMBER_COLUMN: Column<ExampleRow> = {
  id: 'number',
  header: '#',
  width: '56px',
  align: 'end',
  cell: ({ index }) => <span className="text-fg-subtle">{formatCount(index + 1)}</span>,
}

function selectColumn(selectedIds: ReadonlySet<string>, onSelect: (id: string) => void): Column<ExampleRow> {
  return {
    id: 'select',
    header: <span className="sr-only">Selected</span>,
    width: '32px',
    isPinned: true,
    cell: ({ id, index, example }) => (
      <input
        type="checkbox"
        tabIndex={-1}
        disabled={example === undefined}
        aria-label={`Select example ${index + 1}`}
        checked={selectedIds.has(id)}
        onChange={() => onSelect(id)}
        className="block size-3.5"
      />
    ),
  }
}

function toGridColumn(id: string, context: ColumnsContext): Column<ExampleRow> | undefined {
  const column = parseColumnId(id)
  if (column === undefined) return undefined
  const base = { id, header: getColumnLabel(id) }
  if (typeof column !== 'string') {
    const width = isShortColumn(context.first, column) ? shortWidth(base.header) : 'minmax(160px, 2fr)'
    const isActive = id === context.activeColumnId
    const edited = context.edited?.columnId === id ? context.edited : undefined
    const cell = (one: Example) => (
      <ContentCell {...{ one, column, isActive }}>{edited?.exampleId === one.id && edited.editor}</ContentCell>
    )
    return { ...base, width, cell: ({ example }) => whenLoaded(example, cell) }
  }
  const isTime = column === 'created' || column === 'modified'
  return {
    ...base,
    width: FIXED_WIDTHS[column],
    cell: ({ example }) => whenLoaded(example, FIXED_CELLS[column]),
    ...(isTime && {
      sort: {
        direction: getSortDirection(context.sort, column),
        onSort: () => context.onSort(nextSort(context.sort, column, context.defaultSort)),
      },
    }),
  }
}

/** Wide enough for the label of the column, unless that is long. */
function shortWidth(label: string): string {
  return `minmax(${Math.min(Math.max(label.length * 7 + 16, 88), 140)}px, 0.4fr)`
}

interface ContentCellProps {
  one: Example
  column: ContentColumn
  /** Whether the cell is marked while its row is the active one. */
  isActive: boolean
  /** The editor of the value. */
  children: ReactNode
}

function ContentCell({ isActive, children, ...content }: ContentCellProps) {
  if (!isActive && !children) return <ContentText {...content} />
  return (
    <span
      data-active-cell={isActive || undefined}
      className="relative -mx-1.5 block truncate rounded-control px-1.5 py-0.5 in-data-active:data-active-cell:ring-1 in-data-active:data-active-cell:ring-accent in-data-active:data-active-cell:ring-inset"
    >
      <ContentText {...content} />
      {children}
    </span>
  )
}

function ContentText({ one, column }: Pick<ContentCellProps, 'one' | 'column'>) {
  const value = readContent(one, column)
  if (value === undefined || value === null) return <span className="text-fg-subtle">-</span>
  const text = toCellText(value)
  const isJson = typeof value !== 'string' && !(Array.isArray(value) && !text.startsWith('['))
  if (isJson) return <span className="font-mono text-meta">{text}</span>
  return (
    <span dir="auto" className="block truncate">
      {text}
    </span>
  )
}

const FIXED_WIDTHS: Readonly<Record<FixedColumn, string>> = {
  split: 'minmax(120px, 0.5fr)',
  created: '150px',
  modified: '150px',
  id: '290px',
}

const FIXED_CELLS: Readonly<Record<FixedColumn, (example: Example) => ReactNode>> = {
  split: (example) => <SplitTags splits={readSplits(example)} />,
  created: ({ created_at }) => formatAbsoluteTime(created_at),
  modified: ({ modified_at }) => formatAbsoluteTime(modified_at),
  id: ({ id }) => <span className="font-mono text-meta">{id}</span>,
}

function whenLoaded(example: Example | undefined, draw: (example: Example) => ReactNode): ReactNode {
  return example === undefined ? <Skeleton className="w-2/3" /> : draw(example)
}

/** The splits of an example as labels. */
export function SplitTags({ splits }: { splits: readonly string[] }) {
  return (
    <span className="flex min-w-0 gap-1">
      {splits.map((split) => (
        <span key={split} className="truncate rounded-control bg-sunken px-1.5 text-meta text-fg-muted">
          {split}
        </span>
      ))}
    </span>
  )
}

/** An example in two lines, on a phone. */
export function ExampleCard({ row: { index, example } }: { row: ExampleRow }) {
  if (example === undefined) return <Skeleton className="w-2/3" />
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="flex min-w-0 items-center gap-2">
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {firstText(example.inputs)}
        </span>
        <SplitTags splits={readSplits(example)} />
      </span>
      <span className="flex min-w-0 gap-2 text-meta text-fg-muted">
        <span className="tabular-nums">{formatCount(index + 1)}</span>
        <span className="truncate">{example.outputs == null ? '-' : firstText(example.outputs)}</span>
      </span>
    </div>
  )
}

/** The first value. */
function firstText(content: Readonly<Record<string, unknown>>): string {
  return toCellText(Object.values(content)[0] ?? content)
}

import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#lib/browser/cx.ts'
import { ColumnEdge } from './column-edge.tsx'

export interface Column<Row> {
  id: string
  /** What the header shows. */
  header: ReactNode
  /** A CSS grid track that begins with its least width: `96px`, `minmax(160px, 2fr)`. */
  width: string
  /** Numbers stand at the end. */
  align?: 'end'
  cell: (row: Row) => ReactNode
  /** Present when the header sorts. */
  sort?: {
    direction: 'ascending' | 'descending' | undefined
    onSort: () => void
    /** What is sorted, where that is not everything. */
    hint?: string
  }
  /** Stays at the left while the others scroll away; pinned columns come first. */
  isPinned?: boolean
  /**
   * Present when the reader may set the width.
   *
   * @param width   in px; `undefined` gives the first one back
   * @param isDone  false while the edge is still being dragged
   */
  onResize?: (width: number | undefined, isDone: boolean) => void
}

/** Below this the grid scrolls sideways: the sum of the columns' fixed widths and minima. */
export function leastWidth(columns: readonly { width: string }[]): number {
  return columns.reduce((sum, { width }) => sum + leastOf(width), 0)
}

/** Where pinned columns stay, in px from the left. A grid that scrolls sideways has its columns at their least width. */
export function pinnedFrom(columns: readonly { width: string; isPinned?: boolean }[]): (number | undefined)[] {
  let left = 0
  return columns.map(({ width, isPinned }) => {
    if (!isPinned) return undefined
    left += leastOf(width)
    return left - leastOf(width)
  })
}

/** Whether what is right of a column may scroll below it. */
export function isLastPinned(lefts: readonly (number | undefined)[], at: number): boolean {
  return lefts[at] !== undefined && lefts[at + 1] === undefined
}

/**
 * Of a pinned cell. It sticks only while the grid is scrolled sideways: each cell that sticks is a layer of its own to the
 * browser, and there are as many as rows.
 */
export const PINNED = 'group-data-aside/grid:sticky group-data-aside/grid:z-[1] group-data-aside/grid:bg-inherit'

/** Of the last pinned column, while the grid is scrolled sideways. */
export const PINNED_EDGE = 'group-data-aside/grid:shadow-[1px_0_0_var(--border-strong)]'

function leastOf(width: string): number {
  return Number(/\d+/.exec(width)?.[0] ?? 0)
}

export interface HeaderCellProps<Row> {
  column: Column<Row>
  /** Where it stays when it is pinned. */
  left: number | undefined
  /** Whether its edge is the one that Tab reaches. */
  isFirst: boolean
  isLastPinned: boolean
}

export function HeaderCell<Row>({ column, left, isFirst, isLastPinned }: HeaderCellProps<Row>) {
  const { sort, header, align, onResize } = column
  const Arrow = sort?.direction === 'ascending' ? ArrowUp : ArrowDown
  return (
    <div
      role="columnheader"
      {...(sort && { tabIndex: -1, 'aria-sort': sort.direction ?? 'none' })}
      style={left === undefined ? undefined : { left }}
      className={cx(
        'flex h-full min-w-0 items-center px-2 text-meta text-fg-subtle',
        align === 'end' && 'justify-end',
        left === undefined ? 'relative' : 'sticky z-[1] bg-surface',
        isLastPinned && PINNED_EDGE,
      )}
    >
      {sort ? (
        <button
          type="button"
          title={sort.hint}
          onClick={sort.onSort}
          className={cx('flex h-6 min-w-0 items-center gap-1 hover:text-fg', sort.direction && 'font-medium text-fg')}
        >
          <span className="truncate">{header}</span>
          {sort.direction && <Arrow size={12} aria-hidden className="shrink-0" />}
        </button>
      ) : (
        <span className="truncate">{header}</span>
      )}
      {onResize && <ColumnEdge name={header} value={leastOf(column.width)} isTabStop={isFirst} onResize={onResize} />}
    </div>
  )
}

import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#lib/browser/cx.ts'
import { ColumnEdge } from './column-edge.tsx'

export interface Column<Row> {
  id: string
  /** Content of the header cell. */
  header: ReactNode
  /** A CSS grid track that starts with its minimum width: `96px`, `minmax(160px, 2fr)`. */
  width: string
  /** Numbers are aligned at the end. */
  align?: 'end'
  cell: (row: Row) => ReactNode
  /** Present when the header sorts. */
  sort?: {
    direction: 'ascending' | 'descending' | undefined
    onSort: () => void
    /** Shown as a tooltip when not all rows are sorted. */
    hint?: string
  }
  /** Stays at the left while the others scroll; pinned columns come first. */
  isPinned?: boolean
  /**
   * Present when the user can set the width.
   *
   * @param width   in px; `undefined` restores the initial width
   * @param isDone  false while the edge is still being dragged
   */
  onResize?: (width: number | undefined, isDone: boolean) => void
}

/** Minimum width of the grid in px. Below it, the grid scrolls horizontally. */
export function sumMinWidths(columns: readonly { width: string }[]): number {
  return columns.reduce((sum, { width }) => sum + getMinWidth(width), 0)
}

/**
 * Offsets of pinned columns in px from the left; undefined for other columns. Columns of a grid that scrolls
 * horizontally have their minimum width.
 */
export function getPinnedOffsets(columns: readonly { width: string; isPinned?: boolean }[]): (number | undefined)[] {
  let left = 0
  return columns.map(({ width, isPinned }) => {
    if (!isPinned) return undefined
    left += getMinWidth(width)
    return left - getMinWidth(width)
  })
}

/** Whether the columns right of this one scroll below it. */
export function isLastPinned(offsets: readonly (number | undefined)[], index: number): boolean {
  return offsets[index] !== undefined && offsets[index + 1] === undefined
}

/**
 * Classes of a pinned cell. It is sticky only while the grid is scrolled horizontally, because each sticky cell is a
 * separate compositor layer.
 */
export const PINNED = 'group-data-aside/grid:sticky group-data-aside/grid:z-[1] group-data-aside/grid:bg-inherit'

/** Classes of the last pinned column, while the grid is scrolled horizontally. */
export const PINNED_EDGE = 'group-data-aside/grid:shadow-[1px_0_0_var(--border-strong)]'

function getMinWidth(width: string): number {
  return Number(/\d+/.exec(width)?.[0] ?? 0)
}

export interface HeaderCellProps<Row> {
  column: Column<Row>
  /** Distance from the left in px when the column is pinned. */
  pinnedOffset: number | undefined
  /** Whether Tab stops at its edge. */
  isFirstResizable: boolean
  isLastPinned: boolean
}

export function HeaderCell<Row>({ column, pinnedOffset, isFirstResizable, isLastPinned }: HeaderCellProps<Row>) {
  const { sort, header, align, onResize } = column
  const Arrow = sort?.direction === 'ascending' ? ArrowUp : ArrowDown
  return (
    <div
      role="columnheader"
      {...(sort && { tabIndex: -1, 'aria-sort': sort.direction ?? 'none' })}
      style={pinnedOffset === undefined ? undefined : { left: pinnedOffset }}
      className={cx(
        'flex h-full min-w-0 items-center px-2 text-meta text-fg-subtle',
        align === 'end' && 'justify-end',
        pinnedOffset === undefined ? 'relative' : 'sticky z-[1] bg-surface',
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
      {onResize && (
        <ColumnEdge name={header} value={getMinWidth(column.width)} isTabStop={isFirstResizable} onResize={onResize} />
      )}
    </div>
  )
}

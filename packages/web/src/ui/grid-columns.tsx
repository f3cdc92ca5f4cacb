import { ArrowDown, ArrowUp } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react'
import { cx } from '#lib/browser.ts'

export interface Column<Row> {
  id: string
  /** Content of the header cell. */
  header: ReactNode
  /** A CSS grid track that starts with its minimum width: `96px`, `minmax(160px, 2fr)`. */
  width: string
  /** Numbers are aligned at the end. */
  align?: 'end'
  /** Each cell has the direction of its text. */
  isText?: boolean
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

/** The minimum width in px of a column's track. */
export function getMinWidth(width: string): number {
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
        // As large as the cell; the edge that resizes the column lies above it.
        <button
          type="button"
          title={sort.hint}
          onClick={sort.onSort}
          className={cx(
            'absolute inset-0 flex min-w-0 items-center gap-1 px-2 outline-offset-[-2px] hover:bg-hover hover:text-fg',
            align === 'end' && 'justify-end',
            sort.direction && 'font-medium text-fg',
          )}
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

interface ColumnEdgeProps {
  /** Name of the column. */
  name: ReactNode
  /** Current minimum width in px. */
  value: number
  /** Tab stops at one edge of a grid; up and down move between the edges. */
  isTabStop: boolean
  /** @param isDone  false while the edge is still being dragged */
  onResize: (width: number | undefined, isDone: boolean) => void
}

const STEP = 16
const MIN_WIDTH = 48
const MAX_WIDTH = 1200

/**
 * The right edge of a header cell. Drag it, or press left and right, to set the width; up and down move to the next
 * edge; Delete restores the initial width.
 */
function ColumnEdge({ name, value, isTabStop, onResize }: ColumnEdgeProps) {
  const grip = useRef<{ x: number; width: number }>(undefined)

  function down(event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    grip.current = { x: event.clientX, width: measureColumn(event.currentTarget) }
  }
  function drag(event: PointerEvent, isDone: boolean) {
    if (grip.current === undefined) return
    const by = event.clientX - grip.current.x
    if (by !== 0) onResize(clampWidth(grip.current.width + by), isDone)
    if (isDone) grip.current = undefined
  }
  function press(event: KeyboardEvent<HTMLElement>) {
    const edge = event.currentTarget
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key]
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (step !== undefined) onResize(clampWidth(measureColumn(edge) + step), true)
    else if (event.key === 'Delete' || event.key === 'Backspace') onResize(undefined, true)
    else if (move !== undefined) focusEdge(edge, move)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${typeof name === 'string' ? name : 'the column'}`}
      aria-valuenow={value}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      aria-valuetext={`${value} px`}
      title="Drag to resize; double-click to reset"
      tabIndex={isTabStop ? 0 : -1}
      onPointerDown={down}
      onPointerMove={(event) => drag(event, false)}
      onPointerUp={(event) => drag(event, true)}
      onPointerCancel={(event) => drag(event, true)}
      onDoubleClick={() => onResize(undefined, true)}
      onKeyDown={press}
      className="absolute inset-y-0 right-0 w-2 cursor-col-resize touch-none border-r border-transparent hover:border-border-strong focus-visible:border-accent"
    />
  )
}

function measureColumn(edge: Element): number {
  return edge.parentElement?.getBoundingClientRect().width ?? MIN_WIDTH
}

function clampWidth(width: number): number {
  return Math.round(Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH))
}

function focusEdge(edge: HTMLElement, by: number) {
  const edges = [...(edge.closest('[role=row]')?.querySelectorAll<HTMLElement>('[role=separator]') ?? [])]
  edges[edges.indexOf(edge) + by]?.focus()
}

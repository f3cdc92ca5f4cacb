import { type ComponentType, memo, type ReactNode, type RefObject } from 'react'
import { cx } from '#lib/browser.ts'
import type { GridHandle } from './data-grid.tsx'
import { type Column, isLastPinned, PINNED, PINNED_EDGE } from './grid-columns.tsx'
import { useShortcuts } from './shortcuts.tsx'

export interface RowProviderProps<Row> {
  row: Row
  children: ReactNode
}

export interface GridRowProps<Row> {
  id: string
  row: Row
  index: number
  top: number
  height: number
  template: string | undefined
  columns: readonly Column<Row>[]
  /** Offsets of pinned columns in px from the left; undefined for other columns. */
  pinnedOffsets: readonly (number | undefined)[]
  card: ((row: Row) => ReactNode) | undefined
  provider: ComponentType<RowProviderProps<Row>> | undefined
  isActive: boolean
  isSelected: boolean | undefined
  isNew: boolean
  tabIndex: number
}

/** A row of a grid. The grid handles its events, so that a row renders again only when its own props change. */
export const GridRow = memo(function GridRow<Row>(props: GridRowProps<Row>) {
  const { row, columns, pinnedOffsets, card, provider: Provider } = props
  const cells = card ? (
    <div role="gridcell" className="min-w-0 flex-1">
      {card(row)}
    </div>
  ) : (
    columns.map((column, index) => (
      <div
        key={column.id}
        role="gridcell"
        tabIndex={-1}
        dir={column.isText ? 'auto' : undefined}
        style={pinnedOffsets[index] === undefined ? undefined : { left: pinnedOffsets[index] }}
        className={cx(
          'min-w-0 truncate px-2',
          column.align === 'end' && 'num',
          pinnedOffsets[index] !== undefined && PINNED,
          isLastPinned(pinnedOffsets, index) && PINNED_EDGE,
        )}
      >
        {column.cell(row)}
      </div>
    ))
  )
  return (
    // Placed by `top`: a transform of each row is one more property for the compositor, 9 % of the CPU time of scrolling.
    <div
      role="row"
      data-row={props.id}
      aria-rowindex={props.index + 2}
      aria-selected={props.isSelected ?? props.isActive}
      data-active={props.isActive || undefined}
      tabIndex={props.tabIndex}
      data-pane-focus={props.tabIndex === 0 || undefined}
      style={{ top: props.top, height: props.height, gridTemplateColumns: props.template }}
      className={cx(
        'contain-strict absolute inset-x-0 cursor-default border-b border-border bg-surface text-row outline-offset-[-2px] hover:bg-hover data-active:bg-selected aria-selected:bg-selected',
        card ? 'flex items-center px-3' : props.height > 60 ? 'grid items-start py-2' : 'grid items-center',
        props.isNew && 'animate-flash',
      )}
    >
      {Provider ? <Provider row={row}>{cells}</Provider> : cells}
    </div>
  )
}) as <Row>(props: GridRowProps<Row>) => ReactNode

interface GridKeysOptions {
  grid: RefObject<GridHandle | null>
  /** Ids of the rows in order. */
  ids: readonly string[]
  activeId: string | undefined
  /** Called with the row that the keys moved to. */
  onActive: (id: string) => void
  onOpen: (id: string) => void
}

/** Keyboard navigation of a list: j/k or arrows, Home/End, Page keys, Enter. */
export function useGridKeys({ grid, ids, activeId, onActive, onOpen }: GridKeysOptions): void {
  function moveTo(index: number) {
    const id = ids[Math.min(Math.max(index, 0), ids.length - 1)]
    if (id === undefined) return
    onActive(id)
    grid.current?.focusRow(id)
  }
  const active = activeId === undefined ? -1 : ids.indexOf(activeId)
  useShortcuts('List', [
    { keys: ['j', 'arrowdown'], label: 'Next row', run: () => moveTo(active + 1) },
    { keys: ['k', 'arrowup'], label: 'Previous row', run: () => moveTo(active < 0 ? 0 : active - 1) },
    { keys: 'home', label: 'First row', run: () => moveTo(0) },
    { keys: 'end', label: 'Last loaded row', run: () => moveTo(ids.length - 1) },
    { keys: 'pagedown', label: 'Ten rows down', run: () => moveTo(active + 10) },
    { keys: 'pageup', label: 'Ten rows up', run: () => moveTo(active - 10) },
    { keys: 'enter', label: 'Open', run: () => activeId !== undefined && onOpen(activeId) },
  ])
}

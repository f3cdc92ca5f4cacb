import { memo, type ReactNode } from 'react'
import { cx } from '#lib/browser/cx.ts'
import { type Column, isLastPinned, PINNED, PINNED_EDGE } from './grid-columns.tsx'

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
  isActive: boolean
  isSelected: boolean | undefined
  isNew: boolean
  tabIndex: number
}

/** A row of a grid. The grid handles its events, so that a row renders again only when its own props change. */
export const GridRow = memo(function GridRow<Row>(props: GridRowProps<Row>) {
  const { row, columns, pinnedOffsets, card } = props
  return (
    <div
      role="row"
      data-row={props.id}
      aria-rowindex={props.index + 2}
      aria-selected={props.isSelected ?? props.isActive}
      data-active={props.isActive || undefined}
      tabIndex={props.tabIndex}
      data-pane-focus={props.tabIndex === 0 || undefined}
      style={{ transform: `translateY(${props.top}px)`, height: props.height, gridTemplateColumns: props.template }}
      className={cx(
        'contain-strict absolute inset-x-0 top-0 cursor-default border-b border-border bg-surface text-row outline-offset-[-2px] hover:bg-hover data-active:bg-selected aria-selected:bg-selected',
        card ? 'flex items-center px-3' : props.height > 60 ? 'grid items-start py-2' : 'grid items-center',
        props.isNew && 'animate-flash',
      )}
    >
      {card ? (
        <div role="gridcell" className="min-w-0 flex-1">
          {card(row)}
        </div>
      ) : (
        columns.map((column, index) => (
          <div
            key={column.id}
            role="gridcell"
            tabIndex={-1}
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
      )}
    </div>
  )
}) as <Row>(props: GridRowProps<Row>) => ReactNode

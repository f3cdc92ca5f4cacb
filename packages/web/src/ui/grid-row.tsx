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
  /** Where pinned columns stay, in px from the left; `undefined` for the others. */
  lefts: readonly (number | undefined)[]
  card: ((row: Row) => ReactNode) | undefined
  isActive: boolean
  isSelected: boolean | undefined
  isNew: boolean
  tabIndex: number
}

/** A row of a grid; what is done to it is heard by the grid, so that it is drawn again only when it changes itself. */
export const GridRow = memo(function GridRow<Row>(props: GridRowProps<Row>) {
  const { row, columns, lefts, card } = props
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
        columns.map((column, at) => (
          <div
            key={column.id}
            role="gridcell"
            tabIndex={-1}
            style={lefts[at] === undefined ? undefined : { left: lefts[at] }}
            className={cx(
              'min-w-0 truncate px-2',
              column.align === 'end' && 'num',
              lefts[at] !== undefined && PINNED,
              isLastPinned(lefts, at) && PINNED_EDGE,
            )}
          >
            {column.cell(row)}
          </div>
        ))
      )}
    </div>
  )
}) as <Row>(props: GridRowProps<Row>) => ReactNode

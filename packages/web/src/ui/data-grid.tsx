import {
  type MouseEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import { cx } from '#lib/browser/cx.ts'
import { densityPreference, getMinRowHeight } from '#lib/preferences/preferences.ts'
import { type Column, HeaderCell, isLastPinned, leastWidth, pinnedFrom } from './grid-columns.tsx'
import { GridRow } from './grid-row.tsx'
import { NARROW, useMedia } from './use-media.tsx'
import { usePreference } from './use-preference.tsx'
import { useWindow } from './use-window.tsx'

/** What a page may ask of a mounted grid. */
export interface GridHandle {
  /** Scrolls a row into view and gives it the focus. */
  focusRow(id: string): void
  scrollToTop(): void
}

export interface DataGridProps<Row> {
  /** Names the grid. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
  /** Least height of a row in px, the same for all; a wider density or a finger makes it more. */
  rowHeight: number
  /** A row on phone widths, in two lines. */
  card: (row: Row) => ReactNode
  /** Rows in all, when known. */
  total?: number | undefined
  activeId?: string | undefined
  selectedIds?: ReadonlySet<string> | undefined
  /** Rows that have just come in; they flash once. */
  newIds?: ReadonlySet<string> | undefined
  onRowClick: (row: Row, event: MouseEvent) => void
  onRowDoubleClick?: (row: Row) => void
  onRowFocus?: (row: Row) => void
  /** Called while the last third of the rows is in view. */
  onNearEnd?: () => void
  /** Called with the distance from the top in px. */
  onScroll?: (offset: number) => void
  /** Where to start, in px; applied once, as soon as there are rows enough. */
  initialOffset?: number | undefined
  /** Below the last row. */
  footer?: ReactNode
  ref?: Ref<GridHandle>
}

const HEADER_HEIGHT = 28
const CARD_HEIGHT = 68

/**
 * A table of any length: fixed row heights, only the rows in view are mounted. Sorting, selection and loading belong to
 * the page; the grid draws and reports. Cards take the place of rows below 640 px.
 */
export function DataGrid<Row>(props: DataGridProps<Row>) {
  const { label, columns, rows, rowId, total, activeId, selectedIds, newIds, footer } = props
  const isNarrow = useMedia(NARROW)
  const isCoarse = useMedia('(pointer: coarse)')
  const [density] = usePreference(densityPreference)
  const rowHeight = isNarrow ? CARD_HEIGHT : Math.max(props.rowHeight, isCoarse ? 40 : getMinRowHeight(density))
  const scroller = useRef<HTMLDivElement>(null)
  const wantsFocus = useRef<string>(undefined)

  const { initialOffset = 0 } = props
  const height = rows.length * rowHeight
  const isLongEnough = initialOffset < height
  const inView = useWindow(scroller, {
    count: rows.length,
    rowHeight,
    headerHeight: isNarrow ? 0 : HEADER_HEIGHT,
    initialOffset: isLongEnough ? initialOffset : 0,
  })

  useImperativeHandle(props.ref, () => ({
    focusRow(id) {
      const index = rows.findIndex((row) => rowId(row) === id)
      if (index < 0) return
      wantsFocus.current = id
      inView.reveal(index)
      focusWanted()
    },
    scrollToTop: () => scroller.current?.scrollTo({ top: 0 }),
  }))

  useRestoredOffset(scroller, props.initialOffset, height, inView.measure)

  const { onNearEnd } = props
  const isNearEnd = rows.length > 0 && inView.last >= rows.length * 0.7
  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows may still leave the view near their end
  useEffect(() => {
    if (isNearEnd) onNearEnd?.()
  }, [isNearEnd, rows.length, onNearEnd])

  // The row to focus may be mounted only after the scroll above has been drawn.
  function focusWanted() {
    const id = wantsFocus.current
    const row = id === undefined ? null : scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)
    if (!row) return
    wantsFocus.current = undefined
    row.focus({ preventScroll: true })
  }
  useLayoutEffect(focusWanted)

  const template = columns.map((column) => column.width).join(' ')
  const lefts = useMemo(() => pinnedFrom(columns), [columns])
  const firstSized = columns.findIndex((column) => column.onResize)
  const rowOf = (target: EventTarget) => {
    const id = target instanceof Element && target.closest<HTMLElement>('[data-row]')?.dataset.row
    return rows.find((row) => rowId(row) === id)
  }
  const tabStop = rows.some((row) => rowId(row) === activeId) ? activeId : rows[0] && rowId(rows[0])
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={total ?? -1}
      aria-colcount={columns.length}
      data-pane="list"
      onScroll={({ currentTarget }) => {
        props.onScroll?.(currentTarget.scrollTop)
        // Pinned columns get an edge once others lie below them; nothing has to be drawn again for that.
        currentTarget.toggleAttribute('data-aside', currentTarget.scrollLeft > 0)
      }}
      className="group/grid relative h-full min-h-0 flex-1 overflow-auto bg-surface [overflow-anchor:none]"
    >
      <div style={isNarrow ? undefined : { minWidth: leastWidth(columns) }}>
        <div role="rowgroup" className={cx('sticky top-0 z-10 bg-surface', isNarrow && 'sr-only')}>
          <div
            role="row"
            aria-rowindex={1}
            tabIndex={-1}
            style={{ gridTemplateColumns: template, height: HEADER_HEIGHT }}
            className="grid items-center border-b border-border"
          >
            {columns.map((column, at) => (
              <HeaderCell
                key={column.id}
                column={column}
                left={lefts[at]}
                isFirst={at === firstSized}
                isLastPinned={isLastPinned(lefts, at)}
              />
            ))}
          </div>
        </div>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list's shortcuts open the focused row */}
        <div
          role="rowgroup"
          style={{ height }}
          className="relative"
          onClick={(event) => {
            const row = rowOf(event.target)
            if (row) props.onRowClick(row, event)
          }}
          onDoubleClick={({ target }) => {
            const row = rowOf(target)
            if (row) props.onRowDoubleClick?.(row)
          }}
          onFocus={({ target }) => {
            const row = rowOf(target)
            if (row) props.onRowFocus?.(row)
          }}
        >
          {rows.slice(inView.from, inView.to).map((row, at) => {
            const id = rowId(row)
            const index = inView.from + at
            return (
              <GridRow
                key={id}
                id={id}
                row={row}
                index={index}
                top={index * rowHeight}
                height={rowHeight}
                template={isNarrow ? undefined : template}
                columns={columns}
                lefts={lefts}
                card={isNarrow ? props.card : undefined}
                isActive={id === activeId}
                isSelected={selectedIds?.has(id)}
                isNew={newIds?.has(id) ?? false}
                tabIndex={id === tabStop ? 0 : -1}
              />
            )
          })}
        </div>
      </div>
      {footer}
    </div>
  )
}

/** Puts the scroll back where it was, once, when the content is tall enough to hold it. */
function useRestoredOffset(
  scroller: { current: HTMLElement | null },
  offset: number | undefined,
  height: number,
  measure: () => void,
) {
  const restored = useRef(false)
  useLayoutEffect(() => {
    if (restored.current || height === 0) return
    if (offset !== undefined && offset > 0) {
      if (scroller.current === null || height < offset + scroller.current.clientHeight / 2) return
      scroller.current.scrollTop = offset
      measure()
    }
    restored.current = true
  }, [scroller, offset, height, measure])
}

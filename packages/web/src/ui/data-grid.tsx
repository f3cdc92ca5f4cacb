import {
  type ComponentType,
  type MouseEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import { cx } from '#lib/browser.ts'
import { densityPreference, getMinRowHeight } from '#lib/preferences.ts'
import { type Column, getPinnedOffsets, HeaderCell, isLastPinned, sumMinWidths } from './grid-columns.tsx'
import { GridRow, type RowProviderProps } from './grid-row.tsx'
import { NARROW, useMedia, usePreference } from './hooks.tsx'
import { useWindow } from './use-window.tsx'

/** Imperative methods of a mounted grid. */
export interface GridHandle {
  /** Scrolls a row into view and gives it the focus. */
  focusRow(id: string): void
  /** Scrolls a row into view; the focus stays where it is. */
  revealRow(id: string): void
  scrollToTop(): void
}

export interface DataGridProps<Row> {
  /** Accessible name of the grid. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
  /** Minimum height of every row in px; a wider density or a touch screen increases it. */
  rowHeight: number
  /** A row in two lines, for phone widths. */
  card: (row: Row) => ReactNode
  /** Surrounds the cells of a row, for example to read once what several of them show. Must keep its identity. */
  rowProvider?: ComponentType<RowProviderProps<Row>>
  /** Total number of rows, when known. */
  total?: number | undefined
  activeId?: string | undefined
  selectedIds?: ReadonlySet<string> | undefined
  /** Rows that have just arrived; they flash once. */
  newIds?: ReadonlySet<string> | undefined
  onRowClick: (row: Row, event: MouseEvent) => void
  onRowDoubleClick?: (row: Row) => void
  onRowFocus?: (row: Row) => void
  /** Called while the last 30 % of the rows are in view. */
  onNearEnd?: (() => void) | undefined
  /** Called with the rows that are in view or close to it: from, and before `to`. Must keep its identity. */
  onRange?: ((from: number, to: number) => void) | undefined
  /** Called with the scroll offset in px. */
  onScroll?: (offset: number) => void
  /** Initial scroll offset in px; applied once, as soon as there are enough rows. */
  initialOffset?: number | undefined
  /** Below the last row. */
  footer?: ReactNode
  ref?: Ref<GridHandle>
}

const HEADER_HEIGHT = 28
const CARD_HEIGHT = 68
const TOUCH_ROW_HEIGHT = 40

/**
 * A table of any length: rows have a fixed height, and only the rows in view are mounted. The page does sorting,
 * selection and loading. Below 640 px, rows become cards.
 */
export function DataGrid<Row>(props: DataGridProps<Row>) {
  const { label, columns, rows, rowId, activeId, initialOffset = 0 } = props
  const isNarrow = useMedia(NARROW)
  const rowHeight = useRowHeight(props.rowHeight)
  const scroller = useRef<HTMLDivElement>(null)
  const height = rows.length * rowHeight
  const inView = useWindow(scroller, {
    count: rows.length,
    rowHeight,
    headerHeight: isNarrow ? 0 : HEADER_HEIGHT,
    initialOffset: initialOffset < height ? initialOffset : 0,
  })
  useGridHandle(props, scroller, inView.reveal)
  useRestoredOffset(scroller, props.initialOffset, height, inView.measure)
  useNearEnd(rows.length > 0 && inView.last >= rows.length * 0.7, rows.length, props.onNearEnd)
  useRange(inView.from, inView.to, props.onRange)
  const template = columns.map((column) => column.width).join(' ')
  const offsets = useMemo(() => getPinnedOffsets(columns), [columns])
  const minWidth = isNarrow ? 0 : sumMinWidths(columns)
  const markHiddenSides = useHiddenSides(scroller, minWidth)
  const tabStopId = useMemo(() => {
    const isListed = activeId !== undefined && rows.some((row) => rowId(row) === activeId)
    return isListed ? activeId : rows[0] && rowId(rows[0])
  }, [rows, rowId, activeId])
  return (
    <div className="relative flex h-full min-h-0 min-w-0 flex-1">
      <div
        ref={scroller}
        role="grid"
        aria-label={label}
        aria-rowcount={props.total ?? -1}
        aria-colcount={columns.length}
        data-pane="list"
        onScroll={({ currentTarget }) => {
          props.onScroll?.(currentTarget.scrollTop)
          markHiddenSides()
        }}
        className="group/grid peer/grid relative min-w-0 flex-1 overflow-auto bg-surface [overflow-anchor:none]"
      >
        <div style={isNarrow ? undefined : { minWidth }}>
          <GridHeader columns={columns} template={template} offsets={offsets} isHidden={isNarrow} />
          <div role="rowgroup" style={{ height }} className="relative" {...useRowEvents(props)}>
            {rows.slice(inView.from, inView.to).map((row, offset) => {
              const id = rowId(row)
              const index = inView.from + offset
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
                  pinnedOffsets={offsets}
                  card={isNarrow ? props.card : undefined}
                  provider={props.rowProvider}
                  isActive={id === activeId}
                  isSelected={props.selectedIds?.has(id)}
                  isNew={props.newIds?.has(id) ?? false}
                  tabIndex={id === tabStopId ? 0 : -1}
                />
              )
            })}
          </div>
        </div>
        {props.footer}
      </div>
      <div aria-hidden className={MORE_SHADOW} />
    </div>
  )
}

/** A shadow at the right edge while columns are hidden beyond it. */
const MORE_SHADOW =
  'pointer-events-none absolute inset-y-0 right-0 z-20 hidden w-4 bg-linear-to-l from-[rgb(0_0_0/0.14)] to-transparent peer-data-more/grid:block dark:from-[rgb(0_0_0/0.6)]'

interface GridHeaderProps<Row> {
  columns: readonly Column<Row>[]
  template: string
  offsets: readonly (number | undefined)[]
  /** Hidden visually, but still read by screen readers. */
  isHidden: boolean
}

function GridHeader<Row>({ columns, template, offsets, isHidden }: GridHeaderProps<Row>) {
  const firstResizable = columns.findIndex((column) => column.onResize)
  return (
    <div role="rowgroup" className={cx('sticky top-0 z-10 bg-surface', isHidden && 'sr-only')}>
      <div
        role="row"
        aria-rowindex={1}
        tabIndex={-1}
        style={{ gridTemplateColumns: template, height: HEADER_HEIGHT }}
        className="grid items-center border-b border-border"
      >
        {columns.map((column, index) => (
          <HeaderCell
            key={column.id}
            column={column}
            pinnedOffset={offsets[index]}
            isFirstResizable={index === firstResizable}
            isLastPinned={isLastPinned(offsets, index)}
          />
        ))}
      </div>
    </div>
  )
}

function useRowHeight(minHeight: number): number {
  const isNarrow = useMedia(NARROW)
  const isCoarse = useMedia('(pointer: coarse)')
  const [density] = usePreference(densityPreference)
  if (isNarrow) return CARD_HEIGHT
  return Math.max(minHeight, isCoarse ? TOUCH_ROW_HEIGHT : getMinRowHeight(density))
}

/** A click on one of these does what the control does, and nothing to the row. */
const CONTROLS = 'a, button, input'

/** Handlers on the row group, which receives the events of all rows. */
function useRowEvents<Row>({ rows, rowId, onRowClick, onRowDoubleClick, onRowFocus }: DataGridProps<Row>) {
  const onRow = (target: EventTarget, act: ((row: Row) => void) | undefined) => {
    const id = target instanceof Element ? target.closest<HTMLElement>('[data-row]')?.dataset.row : undefined
    const row = rows.find((one) => rowId(one) === id)
    if (row !== undefined) act?.(row)
  }
  return {
    onClick(event: MouseEvent) {
      if (event.target instanceof Element && event.target.closest(CONTROLS)) return
      onRow(event.target, (row) => onRowClick(row, event))
    },
    onDoubleClick: ({ target }: MouseEvent) => onRow(target, onRowDoubleClick),
    onFocus: ({ target }: { target: EventTarget }) => onRow(target, onRowFocus),
  }
}

function useGridHandle<Row>(
  { ref, rows, rowId }: DataGridProps<Row>,
  scroller: RefObject<HTMLElement | null>,
  reveal: (index: number) => void,
) {
  const pendingFocusId = useRef<string>(undefined)
  function focusPending() {
    const id = pendingFocusId.current
    const row = id === undefined ? null : scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)
    if (!row) return
    pendingFocusId.current = undefined
    row.focus({ preventScroll: true })
  }
  function revealRow(id: string): boolean {
    const index = rows.findIndex((row) => rowId(row) === id)
    if (index >= 0) reveal(index)
    return index >= 0
  }
  useImperativeHandle(ref, () => ({
    focusRow(id) {
      if (!revealRow(id)) return
      pendingFocusId.current = id
      focusPending()
    },
    revealRow,
    scrollToTop: () => scroller.current?.scrollTo({ top: 0 }),
  }))
  // A row outside the view is mounted only by the render after the scroll.
  useLayoutEffect(focusPending)
}

/**
 * Marks the scroller while columns are hidden at its left (`data-aside`) or right (`data-more`), without a render.
 *
 * @param minWidth  width of all columns in px
 * @returns marks again, after horizontal scrolling
 */
function useHiddenSides(scroller: RefObject<HTMLElement | null>, minWidth: number): () => void {
  const width = useRef(Number.POSITIVE_INFINITY)
  const mark = useCallback(() => {
    const box = scroller.current
    if (!box) return
    box.toggleAttribute('data-aside', box.scrollLeft > 0)
    box.toggleAttribute('data-more', minWidth - width.current - box.scrollLeft > 1)
  }, [scroller, minWidth])
  useEffect(() => {
    const box = scroller.current
    if (!box) return
    // Reports the width at once, and whenever it changes.
    const observer = new ResizeObserver(() => {
      width.current = box.clientWidth
      mark()
    })
    observer.observe(box)
    return () => observer.disconnect()
  }, [scroller, mark])
  return mark
}

function useNearEnd(isNearEnd: boolean, rowCount: number, onNearEnd: (() => void) | undefined) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: after more rows were added, the view may still be near the end
  useEffect(() => {
    if (isNearEnd) onNearEnd?.()
  }, [isNearEnd, rowCount, onNearEnd])
}

function useRange(from: number, to: number, onRange: DataGridProps<unknown>['onRange']) {
  useEffect(() => onRange?.(from, to), [from, to, onRange])
}

/** Restores the scroll offset once, when the content is tall enough. */
function useRestoredOffset(
  scroller: RefObject<HTMLElement | null>,
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

import type { Run } from '@touchstone/sdk'
import { ArrowUp } from 'lucide-react'
import {
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { formatCount } from '#lib/format.ts'
import type { RunsSearch } from '#lib/page-search.ts'
import { type Density, ROW_HEIGHT } from '#lib/preferences.ts'
import { isLayerOpen } from '#lib/shortcuts.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { Button } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import type { Column } from '#ui/grid-columns.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { ErrorState } from '#ui/states.tsx'
import { RunCard } from './-run-cells.tsx'
import type { RunActions } from './-runs-actions.ts'
import { toColumnIds, toGridColumns } from './-runs-columns.tsx'
import { isApiOrder } from './-runs-view.ts'
import { useColumnLayout } from './-use-column-layout.tsx'
import { useRunValues } from './-use-run-values.tsx'
import type { LiveRuns, RunList, Runs } from './-use-runs.tsx'

/** Rows whose latency scales the in-cell bars: always the first ones, so that scrolling does not redraw every row. */
const SAMPLE_ROWS = 50
const FLASH_MS = 700
/** Distance from the top, in px, up to which the list counts as scrolled to its top. */
const TOP_PX = 8
const NONE: ReadonlySet<string> = new Set()
const getRunId = (run: Run) => run.id

export interface RunsTableProps {
  gridRef: RefObject<GridHandle | null>
  search: RunsSearch
  runs: Runs
  actions: RunActions
  density: Density
}

/** The table of runs; new runs appear at its top, or wait behind a button while the user reads further down. */
export function RunsTable({ gridRef, search, runs, actions, density }: RunsTableProps) {
  const { list, live, selection, scroll } = runs
  const columns = useRunColumns(search, runs, actions, density)
  const { newIds, admit, trackScroll } = useNewRuns(live, (scroll.initialOffset ?? 0) < TOP_PX)
  const longPress = useLongPress(actions.longPress)
  useGridKeys({
    grid: gridRef,
    ids: list.ids,
    activeId: selection.activeId,
    onActive: actions.activate,
    onOpen: actions.peek,
  })
  function showWaiting() {
    if (live.overflow) void actions.reload()
    else admit()
    gridRef.current?.scrollToTop()
  }

  return (
    <div className="relative flex min-h-0 flex-1" {...longPress}>
      <DataGrid
        ref={gridRef}
        label={search.scope === 'traces' ? 'Traces' : 'Runs'}
        columns={columns}
        rows={list.rows}
        rowId={getRunId}
        rowHeight={ROW_HEIGHT[density]}
        card={(run) => (
          <RunCard run={run} isSelected={actions.isSelecting ? selection.selectedIds.has(run.id) : undefined} />
        )}
        total={list.query.hasNextPage ? undefined : list.rows.length}
        activeId={selection.activeId}
        selectedIds={selection.selectedIds}
        newIds={newIds}
        onRowClick={actions.clickRow}
        onRowDoubleClick={(run) => actions.openPage(run.id)}
        // A sorted list loads more rows only on demand, because new rows would move the visible ones.
        onNearEnd={isApiOrder(search.sort) ? list.loadMore : undefined}
        initialOffset={scroll.initialOffset}
        onScroll={(offset) => {
          scroll.save(offset)
          trackScroll(offset)
        }}
        footer={<ListEnd list={list} isApiOrder={isApiOrder(search.sort)} />}
      />
      <NewRunsButton live={live} onShow={showWaiting} />
    </div>
  )
}

function useRunColumns(search: RunsSearch, runs: Runs, actions: RunActions, density: Density) {
  const { rows } = runs.list
  const { selectedIds, toggle } = runs.selection
  const { change } = actions
  const fullBarMs = useMemo(
    () => percentile95(rows.slice(0, SAMPLE_ROWS).map((run) => msBetween(run.start_time, run.end_time) ?? 0)),
    [rows],
  )
  const columnKey = toColumnIds(search.cols, rows).join()
  const columnIds = useMemo(() => columnKey.split(','), [columnKey])
  const readValue = useRunValues(columnIds, rows)
  const columns = useMemo(
    () => [
      selectColumn(selectedIds, toggle),
      ...toGridColumns(
        columnIds,
        { density, fullBarMs, readValue },
        { sort: search.sort, onSort: (sort) => void change({ sort }) },
      ),
    ],
    [columnIds, density, fullBarMs, readValue, selectedIds, toggle, search.sort, change],
  )
  return useColumnLayout(columns)
}

function selectColumn(selectedIds: ReadonlySet<string>, onToggle: (id: string) => void): Column<Run> {
  return {
    id: 'select',
    header: <span className="sr-only">Selected</span>,
    width: '32px',
    isPinned: true,
    cell: (run) => (
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Select ${run.name}`}
        checked={selectedIds.has(run.id)}
        onChange={() => onToggle(run.id)}
        className="block size-3.5"
      />
    ),
  }
}

/** Admits new runs at the top of the list; further down they wait, so that nothing moves while the user reads. */
function useNewRuns({ waiting, admit: flushPending }: LiveRuns, startsAtTop: boolean) {
  const isAtTop = useRef(startsAtTop)
  const [newIds, setNewIds] = useState<ReadonlySet<string>>(NONE)
  const admit = useCallback(() => {
    setNewIds(new Set(waiting.map(getRunId)))
    flushPending()
  }, [waiting, flushPending])
  useEffect(() => {
    if (waiting.length > 0 && isAtTop.current && !isLayerOpen()) admit()
  }, [waiting, admit])
  // Rows flash once when they arrive, not again when they scroll back into view.
  useEffect(() => {
    if (newIds.size === 0) return
    const timer = setTimeout(() => setNewIds(NONE), FLASH_MS)
    return () => clearTimeout(timer)
  }, [newIds])
  function trackScroll(offset: number) {
    isAtTop.current = offset < TOP_PX
    if (isAtTop.current && waiting.length > 0) admit()
  }
  return { newIds, admit, trackScroll }
}

function NewRunsButton({ live: { waiting, overflow }, onShow }: { live: LiveRuns; onShow: () => void }) {
  return (
    <>
      {waiting.length > 0 && (
        <div className="pointer-events-none absolute inset-x-0 top-9 z-20 flex justify-center">
          <Button look="primary" onClick={onShow} className="pointer-events-auto rounded-full shadow-layer">
            <ArrowUp size={13} aria-hidden />
            {waiting.length}
            {overflow ? '+' : ''} new
          </Button>
        </div>
      )}
      <p role="status" className="sr-only">
        {waiting.length > 0 ? `${waiting.length} new runs` : ''}
      </p>
    </>
  )
}

/** Below the last row: loading, an error, "load more", or the end of the results. */
function ListEnd({ list: { query, rows, loadMore }, isApiOrder }: { list: RunList; isApiOrder: boolean }) {
  if (query.isFetchingNextPage) return <p className={END}>Loading older runs…</p>
  if (query.isFetchNextPageError) {
    return <ErrorState compact title="Could not load older runs" error={query.error} onRetry={loadMore} />
  }
  if (!query.hasNextPage) return <p className={END}>End of results</p>
  if (isApiOrder) return null
  return (
    <p className={END}>
      Only the {formatCount(rows.length)} loaded rows are sorted.{' '}
      <button type="button" className="text-accent hover:underline" onClick={loadMore}>
        Load more
      </button>
    </p>
  )
}

const END = 'p-3 text-center text-meta text-fg-subtle'

function percentile95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0
}

const LONG_MS = 500
/** A finger that moves further scrolls. */
const MAX_MOVE_PX = 10

/**
 * Handlers for the element around rows: reports the row under a long press. The click that follows and the context menu
 * of a phone are suppressed.
 */
function useLongPress(onLongPress: (rowId: string) => void) {
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number }>(undefined)
  const hasFired = useRef(false)
  function end() {
    clearTimeout(press.current?.timer)
    press.current = undefined
  }
  return {
    onPointerDown(event: PointerEvent) {
      hasFired.current = false
      const row = (event.target as Element).closest<HTMLElement>('[data-row]')
      const rowId = row?.dataset.row
      if (event.pointerType === 'mouse' || rowId === undefined) return
      const timer = setTimeout(() => {
        hasFired.current = true
        onLongPress(rowId)
      }, LONG_MS)
      press.current = { timer, x: event.clientX, y: event.clientY }
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      if (press.current && Math.hypot(clientX - press.current.x, clientY - press.current.y) > MAX_MOVE_PX) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    onClickCapture(event: MouseEvent) {
      if (hasFired.current) event.stopPropagation()
      hasFired.current = false
    },
    onContextMenu(event: MouseEvent) {
      if (press.current !== undefined) event.preventDefault()
    },
  }
}

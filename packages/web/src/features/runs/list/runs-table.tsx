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
import { pluralize } from '#lib/format.ts'
import type { RunsSearch } from '#lib/page-search.ts'
import { type Density, ROW_HEIGHT } from '#lib/preferences.ts'
import { isLayerOpen } from '#lib/shortcuts.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { Button } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import type { Column } from '#ui/grid-columns.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { NARROW, useMedia, useNow } from '#ui/hooks.tsx'
import { ErrorState } from '#ui/states.tsx'
import { useColumnLayout } from './columns/use-column-layout.tsx'
import type { ListColumns } from './columns/use-list-columns.ts'
import { RunCard } from './run-cells.tsx'
import type { RunActions } from './runs-actions.ts'
import { toGridColumns } from './runs-columns.tsx'
import { useRunValues } from './use-run-values.tsx'
import type { LiveRuns, RunList, Runs } from './use-runs.tsx'

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
  columns: ListColumns
  /** Width for the columns in px; absent: the list scrolls horizontally. */
  maxWidth: number | undefined
}

/** The table of runs; new runs appear at its top, or wait behind a button while the user reads further down. */
export function RunsTable(props: RunsTableProps) {
  const { gridRef, search, runs, actions, density } = props
  const { list, live, selection, scroll } = runs
  const columns = useRunColumns(props)
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
          <RunCard run={run} isSelected={actions.isSelecting ? selection.checkedIds.has(run.id) : undefined} />
        )}
        total={list.query.hasNextPage ? undefined : list.rows.length}
        activeId={selection.activeId}
        selectedIds={selection.checkedIds}
        newIds={newIds}
        onRowClick={actions.clickRow}
        onRowDoubleClick={(run) => actions.openPage(run.id)}
        onNearEnd={list.loadMore}
        initialOffset={scroll.initialOffset}
        onScroll={(offset) => {
          scroll.save(offset)
          trackScroll(offset)
        }}
        footer={<ListEnd list={list} />}
      />
      <NewRunsButton live={live} onShow={showWaiting} />
    </div>
  )
}

function useRunColumns({ search, runs, actions, density, columns: shown, maxWidth }: RunsTableProps) {
  const { rows, ids } = runs.list
  const { checkedIds, toggle, selectAll } = runs.selection
  const { change, clearSelection } = actions
  const fullBarMs = useMemo(
    () => percentile95(rows.slice(0, SAMPLE_ROWS).map((run) => msBetween(run.start_time, run.end_time) ?? 0)),
    [rows],
  )
  const readValue = useRunValues(shown.ids, rows)
  const checked = countChecked(ids, checkedIds)
  const isNarrow = useMedia(NARROW)
  const nowMs = useNow(60_000)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `clearSelection` does the same in every render
  const columns = useMemo(
    () => [
      // Cards have boxes of their own.
      ...(isNarrow ? [] : [selectColumn(checkedIds, toggle, checked, checked === 'all' ? clearSelection : selectAll)]),
      ...toGridColumns(
        shown.ids,
        shown.widths,
        { density, nowMs, fullBarMs, readValue },
        { sort: search.sort, onSort: (sort) => void change({ sort }) },
      ),
    ],
    [
      shown,
      density,
      nowMs,
      fullBarMs,
      readValue,
      isNarrow,
      checkedIds,
      checked,
      toggle,
      selectAll,
      search.sort,
      change,
    ],
  )
  return useColumnLayout(columns, maxWidth)
}

/** How many of the loaded rows are checked. */
type Checked = 'none' | 'some' | 'all'

function countChecked(ids: readonly string[], checkedIds: ReadonlySet<string>): Checked {
  if (checkedIds.size === 0) return 'none'
  return ids.length > 0 && ids.every((id) => checkedIds.has(id)) ? 'all' : 'some'
}

function selectColumn(
  checkedIds: ReadonlySet<string>,
  onToggle: (id: string) => void,
  checked: Checked,
  onToggleAll: () => void,
): Column<Run> {
  return {
    id: 'select',
    header: (
      <input
        type="checkbox"
        aria-label="Select all loaded rows"
        checked={checked === 'all'}
        ref={(box) => {
          if (box) box.indeterminate = checked === 'some'
        }}
        onChange={onToggleAll}
        // Space presses the box; it does not open the preview of the active row.
        onKeyDown={(event) => event.key === ' ' && event.stopPropagation()}
        className="block size-3.5 outline-offset-[-1px]"
      />
    ),
    width: '32px',
    isPinned: true,
    cell: (run) => (
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Select ${run.name}`}
        checked={checkedIds.has(run.id)}
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
        {waiting.length > 0 ? pluralize(waiting.length, 'new run') : ''}
      </p>
    </>
  )
}

/** Below the last row: loading, an error, or the end of the results. */
function ListEnd({ list: { query, loadMore } }: { list: RunList }) {
  if (query.isFetchingNextPage) return <p className={END}>Loading more runs…</p>
  if (query.isFetchNextPageError) {
    return <ErrorState compact title="Could not load more runs" error={query.error} onRetry={loadMore} />
  }
  return query.hasNextPage ? null : <p className={END}>End of results</p>
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

import { useQuery } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import { ArrowUp } from 'lucide-react'
import { type MouseEvent, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { runsQuery } from '#data/runs.ts'
import { cx } from '#lib/browser/cx.ts'
import { formatCount } from '#lib/format/format.ts'
import { type Density, ROW_HEIGHT } from '#lib/preferences/preferences.ts'
import type { RunsSearch } from '#lib/url/runs-search.ts'
import { Onboarding } from '#shell/onboarding.tsx'
import { Button } from '#ui/button.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { useGridKeys } from '#ui/use-grid-keys.tsx'
import { NothingMatches } from './-nothing-matches.tsx'
import { columnsOf, gridColumns, RunCard, spanMs } from './-runs-columns.tsx'
import { SlowList } from './-slow-list.tsx'
import { isOrderOfList } from './-sort-rows.ts'
import { useColumnLayout } from './-use-column-layout.tsx'
import { useLongPress } from './-use-long-press.tsx'
import { useRunValues } from './-use-run-values.tsx'
import type { Runs } from './-use-runs.tsx'

export interface RunsListProps {
  gridRef: RefObject<GridHandle | null>
  tenant: string
  project: { id: string; name: string | undefined }
  search: RunsSearch
  runs: Runs
  density: Density
  onRowClick: (run: Run, event: MouseEvent) => void
  onRowDoubleClick: (run: Run) => void
  onActive: (id: string) => void
  onOpen: (id: string) => void
  onChange: (part: Partial<RunsSearch>) => void
  onReload: () => void
  /** Whether a press on a card selects it. */
  isSelecting: boolean
  /** A card was pressed for long. */
  onLongPress: (id: string) => void
}

/** The table, or what stands in its place: skeletons, a failure, onboarding, or "nothing matches". */
export function RunsList(props: RunsListProps) {
  const { runs, search, project, tenant } = props
  const { list, rows, waiting } = runs
  const isEmpty = list.isSuccess && !list.isPlaceholderData && rows.length === 0
  const any = useQuery({ ...runsQuery.any(project.id), enabled: isEmpty })
  // A project without a single run shows how to send one, and goes on doing so until the reader has seen it arrive.
  const wasEmpty = useRef(false)
  if (isEmpty && any.data === false) wasEmpty.current = true

  const slow = <SlowList runs={runs} search={search} onChange={props.onChange} />
  if (list.isPending || (isEmpty && any.isPending) || (list.isPlaceholderData && rows.length === 0)) {
    return (
      <>
        {slow}
        {(list.fetchStatus !== 'idle' || isEmpty) && <SkeletonRows rows={20} label="Loading runs" />}
      </>
    )
  }
  if (list.isError && rows.length === 0) {
    return <ErrorState title="Could not load the runs" error={list.error} onRetry={() => void list.refetch()} />
  }
  if (isEmpty && wasEmpty.current) {
    return (
      <Onboarding
        tenant={tenant}
        projectName={project.name ?? 'default'}
        firstRun={waiting.at(-1)}
        onSeeAll={runs.admit}
      />
    )
  }
  if (isEmpty) {
    return (
      <NothingMatches
        projectId={project.id}
        search={search}
        waiting={waiting.length}
        onShow={runs.admit}
        onChange={props.onChange}
      />
    )
  }
  return (
    <>
      {slow}
      {list.isError && (
        <ErrorState
          compact
          title="This could not be read; below is what was found before"
          error={list.error}
          onRetry={() => void list.refetch()}
        />
      )}
      <div className={cx('flex min-h-0 flex-1 flex-col', runs.isStale && 'opacity-75')} aria-busy={runs.isStale}>
        <Table {...props} />
      </div>
    </>
  )
}

function Table(props: RunsListProps) {
  const { runs, search, density, gridRef, onChange } = props
  const { list, rows, waiting, selected } = runs
  const atTop = useRef((runs.initialOffset ?? 0) < 8)
  const longMs = useMemo(
    () => p95(rows.slice(0, TELLING).map((run) => spanMs(run.start_time, run.end_time) ?? 0)),
    [rows],
  )
  const { toggleSelected } = runs
  const columnKey = columnsOf(search.cols, rows).join()
  const columnIds = useMemo(() => columnKey.split(','), [columnKey])
  const valueAt = useRunValues(columnIds, rows)
  const allColumns = useMemo(
    () => [
      {
        id: 'select',
        header: <span className="sr-only">Selected</span>,
        width: '32px',
        isPinned: true,
        cell: (run: Run) => (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${run.name}`}
            checked={selected.has(run.id)}
            onChange={() => toggleSelected(run.id)}
            className="block size-3.5"
          />
        ),
      },
      ...gridColumns(
        columnIds,
        { density, longMs, valueAt },
        { sort: search.sort, onSort: (sort) => onChange({ sort }) },
      ),
    ],
    [columnIds, density, longMs, valueAt, selected, toggleSelected, search.sort, onChange],
  )
  const columns = useColumnLayout(allColumns)
  const isByStart = isOrderOfList(search.sort)
  const longPress = useLongPress(props.onLongPress)

  useGridKeys({
    grid: gridRef,
    ids: runs.ids,
    activeId: runs.activeId,
    onActive: props.onActive,
    onOpen: props.onOpen,
  })
  // At the top new rows slide in; anywhere else they wait, so that nothing moves under the reader.
  const { admit } = runs
  const [newIds, setNewIds] = useState<ReadonlySet<string>>(NONE)
  const letIn = useCallback(() => {
    setNewIds(new Set(waiting.map(idOf)))
    admit()
  }, [waiting, admit])
  useEffect(() => {
    if (waiting.length > 0 && atTop.current && !isChoosing()) letIn()
  }, [waiting, letIn])
  // Rows flash once, as they come; not again when one scrolls back to them.
  useEffect(() => {
    if (newIds.size === 0) return
    const timer = setTimeout(() => setNewIds(NONE), FLASH_MS)
    return () => clearTimeout(timer)
  }, [newIds])
  function showWaiting() {
    if (runs.overflow) props.onReload()
    else letIn()
    gridRef.current?.scrollToTop()
  }

  return (
    <div className="relative flex min-h-0 flex-1" {...longPress}>
      <DataGrid
        ref={gridRef}
        label={search.scope === 'traces' ? 'Traces' : 'Runs'}
        columns={columns}
        rows={rows}
        rowId={idOf}
        rowHeight={ROW_HEIGHT[density]}
        card={(run) => <RunCard run={run} isSelected={props.isSelecting ? selected.has(run.id) : undefined} />}
        total={list.hasNextPage ? undefined : rows.length}
        activeId={runs.activeId}
        selectedIds={selected}
        newIds={newIds}
        onRowClick={props.onRowClick}
        onRowDoubleClick={props.onRowDoubleClick}
        // Rows that came from below would move those above, so a sorted list grows only on demand.
        {...(isByStart && { onNearEnd: runs.loadMore })}
        initialOffset={runs.initialOffset}
        onScroll={(offset) => {
          atTop.current = offset < 8
          runs.noteOffset(offset)
          if (atTop.current && waiting.length > 0) letIn()
        }}
        footer={<ListEnd runs={runs} isByStart={isByStart} />}
      />
      {waiting.length > 0 && (
        <div className="pointer-events-none absolute inset-x-0 top-9 z-20 flex justify-center">
          <Button look="primary" onClick={showWaiting} className="pointer-events-auto rounded-full shadow-layer">
            <ArrowUp size={13} aria-hidden />
            {waiting.length}
            {runs.overflow ? '+' : ''} new
          </Button>
        </div>
      )}
      <p role="status" className="sr-only">
        {waiting.length > 0 ? `${waiting.length} new runs` : ''}
      </p>
    </div>
  )
}

/** What stands below the last row: that there is more to come, that it could not be read, or that this is all. */
function ListEnd({ runs: { list, rows, loadMore }, isByStart }: { runs: Runs; isByStart: boolean }) {
  if (list.isFetchingNextPage) return <p className={END}>Loading older runs…</p>
  if (list.isFetchNextPageError) {
    return <ErrorState compact title="Older runs could not be loaded" error={list.error} onRetry={loadMore} />
  }
  if (list.hasNextPage && !isByStart) {
    return (
      <p className={END}>
        The {formatCount(rows.length)} loaded rows are sorted.{' '}
        <button type="button" className="text-accent hover:underline" onClick={loadMore}>
          Load more
        </button>
      </p>
    )
  }
  return list.hasNextPage ? null : <p className={END}>That is all in this time range.</p>
}

const END = 'p-3 text-center text-meta text-fg-subtle'
const idOf = (run: Run) => run.id
const NONE: ReadonlySet<string> = new Set()
const FLASH_MS = 700
/** Rows that tell what takes long here; the same ones however far one scrolls, so that no row is drawn again for it. */
const TELLING = 50

/** Whether a menu or form lies over the list: what one is about to choose must not move. */
function isChoosing(): boolean {
  return document.querySelector('[role=dialog], [role=menu], [role=listbox]') !== null
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0
}

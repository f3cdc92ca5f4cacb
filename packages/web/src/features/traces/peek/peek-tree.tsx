import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { intAt } from '#lib/columns.ts'
import { pluralize } from '#lib/format.ts'
import { useSettledText } from '#ui/search-field.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { useWindow } from '#ui/use-window.tsx'
import { findRow, idAt, type Trace } from '../model/trace.ts'
import { traceQuery } from '../queries.ts'
import { useRowView } from '../view/row-folding.ts'
import { useTraceCursor } from '../view/use-trace-cursor.ts'
import { PeekFoldRow, PeekRunRow, ROW_HEIGHT } from './peek-rows.tsx'

const MAX_ROWS = 8
const NO_FILTER = {}

export interface PeekTreeProps {
  /** The run that the panel shows. */
  runId: string
  /** The trace of the run, when known. */
  traceId: string | undefined
  /** Called with the trace of the run, when it was not known. */
  onTrace?: ((traceId: string) => void) | undefined
  onSelect: (runId: string) => void
}

/** The trace of a run as a small tree: shows where the run is, and selects another one. Nothing for a single run. */
export function PeekTree({ runId, traceId, onTrace, onSelect }: PeekTreeProps) {
  const queryClient = useQueryClient()
  const location = useQuery({ ...traceQuery.location(runId), enabled: traceId === undefined })
  const locatedId = traceId === undefined ? location.data?.traceId : undefined
  const tellTrace = useEffectEvent((id: string) => onTrace?.(id))
  useEffect(() => {
    if (locatedId !== undefined) tellTrace(locatedId)
  }, [locatedId])
  // Moving quickly through a list does not load every trace on the way.
  const shownTraceId = useSettledText(traceId ?? location.data?.traceId ?? '')
  const tree = useQuery({
    ...traceQuery.tree(shownTraceId),
    enabled: shownTraceId !== '',
    placeholderData: keepPreviousData,
  })
  const trace = tree.data
  if (trace === undefined || trace.size < 2) return null
  function select(id: string) {
    if (trace === undefined) return
    // The selected run is in this trace, so its place is not requested.
    const place = { traceId: trace.traceId, projectId: trace.projectId }
    queryClient.setQueryData(traceQuery.location(id).queryKey, place)
    onSelect(id)
  }
  return <Tree trace={trace} runId={runId} onSelect={select} />
}

interface TreeProps {
  trace: Trace
  runId: string
  onSelect: (runId: string) => void
}

function Tree({ trace, runId, onSelect }: TreeProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const selected = findRow(trace, runId)
  const state = useRowView(trace, selected, NO_FILTER)
  const { rows, view } = state
  const tree = useTraceCursor(trace, state, selected, onSelect)
  const { cursor } = tree
  useShortcuts(
    'Run / trace',
    [
      { keys: ['arrowdown', 'j'], label: 'Next run of the trace', run: () => tree.move(1) },
      { keys: ['arrowup', 'k'], label: 'Previous run of the trace', run: () => tree.move(-1) },
      { keys: 'home', label: 'First run of the trace', run: () => tree.moveTo('first') },
      { keys: 'end', label: 'Last run of the trace', run: () => tree.moveTo('last') },
      { keys: 'arrowright', label: 'Expand, or first child', run: tree.open },
      { keys: 'arrowleft', label: 'Collapse, or parent', run: tree.close },
      { keys: 'enter', label: 'Expand or collapse', run: tree.toggleCurrent },
      { keys: 'e', label: 'Next error', run: () => tree.toError(1) },
      { keys: 'shift+e', label: 'Previous error', run: () => tree.toError(-1) },
    ],
    scroller,
  )
  const { from, to, reveal } = useWindow(scroller, { count: rows.length, rowHeight: ROW_HEIGHT, headerHeight: 0 })
  const current = cursor < 0 ? undefined : intAt(rows, cursor)
  const currentId = current === undefined ? undefined : getElementId(trace, current)
  const revealCurrent = useEffectEvent(() => reveal(cursor))
  // Only a new selection is scrolled into view.
  useEffect(() => {
    if (currentId !== undefined) revealCurrent()
  }, [currentId])

  return (
    <div
      ref={scroller}
      role="tree"
      tabIndex={0}
      data-pane="tree"
      aria-label={`Trace of ${pluralize(trace.total, 'run')}`}
      aria-activedescendant={cursor >= from && cursor < to ? currentId : undefined}
      // The same whatever is folded, so that a row does not move away from the pointer.
      style={{ height: Math.min(trace.size, MAX_ROWS) * ROW_HEIGHT + 1 }}
      // At most a third of a low window, which the run needs more.
      className="max-h-[30vh] shrink-0 overflow-y-auto overflow-x-hidden border-t border-border bg-surface outline-offset-[-2px]"
      // The tree of the previous trace stays until the new one is loaded, without a current row.
      aria-busy={selected === undefined}
    >
      <div role="presentation" className="relative" style={{ height: rows.length * ROW_HEIGHT }}>
        {Array.from(rows.subarray(from, to), (entry, offset) => {
          const shared = {
            trace,
            id: getElementId(trace, entry),
            top: (from + offset) * ROW_HEIGHT,
            isCurrent: from + offset === cursor,
          }
          return entry < 0 ? (
            <PeekFoldRow
              key={shared.id}
              {...shared}
              fold={~entry}
              isOpen={view.openFolds.has(~entry)}
              onToggle={() => tree.toggleFold(~entry)}
            />
          ) : (
            <PeekRunRow
              key={shared.id}
              {...shared}
              row={entry}
              isOpen={!view.collapsed.has(entry)}
              onSelect={() => tree.select(entry)}
              onToggle={() => tree.toggle(entry)}
            />
          )
        })}
      </div>
    </div>
  )
}

/** Id of the element of a run, or of a fold (`~fold`). */
function getElementId(trace: Trace, entry: number): string {
  return entry < 0 ? `peek-fold-${idAt(trace, intAt(trace.folds.first, ~entry))}` : `peek-row-${idAt(trace, entry)}`
}

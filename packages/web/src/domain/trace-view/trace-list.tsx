import { type RefObject, useEffect, useEffectEvent } from 'react'
import { intAt } from '#lib/trace-model/columns.ts'
import { CONTEXT } from '#lib/trace-model/filter-runs.ts'
import { idAt, type Trace } from '#lib/trace-model/trace.ts'
import { useWindow } from '#ui/use-window.tsx'
import { FoldRow, TraceRow } from './trace-row.tsx'
import type { RowState } from './use-row-view.ts'
import type { LaneView } from './visualization.ts'

const ROW_HEIGHT = 26
const STACKED_ROW_HEIGHT = 44

export interface TraceListProps {
  trace: Trace
  state: RowState
  /** Index in the list of what is selected, or -1. */
  cursor: number
  lane: LaneView | undefined
  stacked: boolean
  scroller: RefObject<HTMLDivElement | null>
  onSelect: (row: number) => void
  onToggle: (row: number) => void
  onToggleFold: (fold: number) => void
}

/** The tree as one virtual list: whatever the size of the trace, only the rows in view exist. */
export function TraceList(props: TraceListProps) {
  const { trace, state, cursor, lane, stacked, scroller, onSelect, onToggle, onToggleFold } = props
  const { rows, matches, view } = state
  const height = stacked ? STACKED_ROW_HEIGHT : ROW_HEIGHT
  const { from, to, reveal } = useWindow(scroller, { count: rows.length, rowHeight: height, headerHeight: 0 })
  const current = cursor < 0 ? undefined : intAt(rows, cursor)
  const currentId = current === undefined ? undefined : idOf(trace, current)
  const revealCurrent = useEffectEvent(() => {
    const box = scroller.current
    if (!box) return
    const top = cursor * height
    const isFar = top < box.scrollTop - 2 * height || top > box.scrollTop + box.clientHeight + height
    if (isFar) box.scrollTop = top - box.clientHeight / 2
    reveal(cursor)
  })
  // Only what is newly selected is scrolled to: opening a branch elsewhere must not pull the list away.
  useEffect(() => {
    if (currentId !== undefined) revealCurrent()
  }, [currentId])

  return (
    <div
      ref={scroller}
      role="tree"
      tabIndex={0}
      data-pane="tree"
      aria-label="Runs of the trace"
      aria-activedescendant={cursor >= from && cursor < to ? currentId : undefined}
      className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden outline-offset-[-2px]"
    >
      <div role="presentation" className="relative" style={{ height: rows.length * height }}>
        {Array.from({ length: Math.max(to - from, 0) }, (_, offset) => {
          const index = from + offset
          const row = intAt(rows, index)
          const shared = { trace, lane, stacked, top: index * height, height }
          return row < 0 ? (
            <FoldRow
              key={`fold ${~row}`}
              {...shared}
              fold={~row}
              open={view.openFolds.has(~row)}
              focused={index === cursor}
              onToggle={onToggleFold}
            />
          ) : (
            <TraceRow
              key={row}
              {...shared}
              row={row}
              selected={index === cursor}
              open={!view.collapsed.has(row)}
              dimmed={matches?.state[row] === CONTEXT}
              onSelect={onSelect}
              onToggle={onToggle}
            />
          )
        })}
      </div>
    </div>
  )
}

/** Id of the element of a run, or of a fold (`~fold`). */
function idOf(trace: Trace, entry: number): string {
  return entry < 0 ? `fold-${idAt(trace, intAt(trace.folds.first, ~entry))}` : `row-${idAt(trace, entry)}`
}

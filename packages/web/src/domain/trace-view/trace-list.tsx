import { useVirtualizer } from '@tanstack/react-virtual'
import { type Ref, type RefObject, useEffect, useImperativeHandle } from 'react'
import { CONTEXT } from '#lib/trace-model/filter-runs.ts'
import { idAt, type Trace } from '#lib/trace-model/trace.ts'
import { FoldRow, TraceRow } from './trace-row.tsx'
import { type LaneView, ROW_HEIGHT, STACKED_ROW_HEIGHT } from './trace-state.ts'
import type { RowState } from './use-row-view.ts'

export interface TraceListHandle {
  focus(): void
}

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
  ref?: Ref<TraceListHandle>
}

/** The tree as one virtual list: whatever the size of the trace, only the rows in view exist. */
export function TraceList(props: TraceListProps) {
  const { trace, state, cursor, lane, stacked, scroller, onSelect, onToggle, onToggleFold, ref } = props
  const { rows, matches, view } = state
  const height = stacked ? STACKED_ROW_HEIGHT : ROW_HEIGHT
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was measured is void once the rows have another height
  useEffect(() => virtualizer.measure(), [virtualizer, height])
  useEffect(() => {
    if (cursor >= 0) virtualizer.scrollToIndex(cursor, { align: 'auto' })
  }, [virtualizer, cursor])
  useImperativeHandle(ref, () => ({ focus: () => scroller.current?.focus({ preventScroll: true }) }), [scroller])

  const active = cursor < 0 ? undefined : rows[cursor]!
  return (
    <div
      ref={scroller}
      role="tree"
      tabIndex={0}
      data-pane="tree"
      aria-label="Runs of the trace"
      aria-activedescendant={
        active === undefined
          ? undefined
          : active < 0
            ? `fold-${idAt(trace, trace.folds.first[~active]!)}`
            : `row-${idAt(trace, active)}`
      }
      className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden outline-offset-[-2px]"
    >
      <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]!
          const style = { height, transform: `translateY(${start}px)` }
          const shared = { trace, lane, stacked, style }
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

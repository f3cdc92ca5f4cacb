import { type CSSProperties, type RefObject, useEffect, useEffectEvent, useMemo } from 'react'
import { intAt } from '#lib/columns.ts'
import { createPreference, isNumber } from '#lib/preferences.ts'
import { useElementWidth, usePreference } from '#ui/hooks.tsx'
import { Splitter } from '#ui/splitter.tsx'
import { useWindow } from '#ui/use-window.tsx'
import { idAt, type Trace } from '../model/trace.ts'
import { CONTEXT } from '../model/visible-rows.ts'
import { MeasureLayer } from './measure-layer.tsx'
import type { RowState } from './row-folding.ts'
import { TimeAxis, TimeGrid } from './time-axis.tsx'
import { FoldRow, TraceRow } from './trace-row.tsx'
import type { LaneView, TracePlot } from './visualization.ts'

/** Share of the list for names, in percent. */
const namesPreference = createPreference('trace-names-percent', 46, isNumber)

/** A narrower column of names shows nothing else. */
const TIGHT_WIDTH = 200

export interface TraceRowsProps {
  trace: Trace
  plot: TracePlot
  state: RowState
  cursor: number
  /** Whether bars over time are shown beside the names. */
  withLane: boolean
  isNarrow: boolean
  scroller: RefObject<HTMLDivElement | null>
  onSelect: (row: number) => void
  onToggle: (row: number) => void
  onToggleFold: (fold: number) => void
}

/** The trace as a tree, with a time lane beside it or, on a phone, below each name. */
export function TraceRows(props: TraceRowsProps) {
  const { trace, plot, state, cursor, withLane, isNarrow, scroller } = props
  const { timeWindow, squeeze, colors, critical, drawn } = plot
  const [names, setNames] = usePreference(namesPreference)
  const [pane, paneWidth] = useElementWidth<HTMLDivElement>()
  const treeWidth = Math.max(Math.round((paneWidth * names) / 100), Math.min(paneWidth, 160))
  const lane = useMemo<LaneView | undefined>(() => {
    if (!withLane) return undefined
    const width = Math.max(isNarrow ? paneWidth - 24 : paneWidth - treeWidth - 14, 20)
    const tight = !isNarrow && treeWidth < TIGHT_WIDTH
    return { timeWindow, width, labels: !isNarrow, tight, colors, critical, drawn, squeeze }
  }, [withLane, timeWindow, isNarrow, paneWidth, treeWidth, colors, critical, drawn, squeeze])
  return (
    <div
      ref={pane}
      className="flex min-h-0 flex-1 flex-col"
      style={{ '--tree-width': `${treeWidth}px` } as CSSProperties}
    >
      {lane && !isNarrow && (
        <div className="flex h-5 shrink-0 border-b border-border">
          <div className="w-[var(--tree-width)] shrink-0" />
          <Splitter label="Resize names" value={names} min={20} max={80} pane="before" onChange={setNames} />
          <div className="min-w-0 flex-1">
            <TimeAxis {...lane} />
          </div>
        </div>
      )}
      <MeasureLayer timeWindow={timeWindow} squeeze={squeeze} left={isNarrow ? 8 : treeWidth} width={lane?.width ?? 0}>
        {lane && !isNarrow && <TimeGrid {...lane} />}
        <TraceList
          trace={trace}
          state={state}
          cursor={cursor}
          lane={lane}
          stacked={isNarrow && lane !== undefined}
          scroller={scroller}
          onSelect={props.onSelect}
          onToggle={props.onToggle}
          onToggleFold={props.onToggleFold}
        />
      </MeasureLayer>
    </div>
  )
}

const ROW_HEIGHT = 26
const STACKED_ROW_HEIGHT = 44

interface TraceListProps {
  trace: Trace
  state: RowState
  /** Index of the selected entry in the list, or -1. */
  cursor: number
  lane: LaneView | undefined
  stacked: boolean
  scroller: RefObject<HTMLDivElement | null>
  onSelect: (row: number) => void
  onToggle: (row: number) => void
  onToggleFold: (fold: number) => void
}

/** The tree as a virtual list. Only the rows in view are rendered. */
function TraceList(props: TraceListProps) {
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
  // Only a new selection is scrolled into view. Expanding another branch must not scroll the list.
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

import type { CSSProperties, RefObject } from 'react'
import { useMemo } from 'react'
import { createPreference, isNumber } from '#lib/preferences/preference.ts'
import type { Trace } from '#lib/trace-model/trace.ts'
import { Splitter } from '#ui/splitter.tsx'
import { useElementWidth } from '#ui/use-element-width.tsx'
import { usePreference } from '#ui/use-preference.tsx'
import { MeasureLayer } from './measure-layer.tsx'
import { TimeAxis, TimeGrid } from './time-axis.tsx'
import { TraceList } from './trace-list.tsx'
import type { RowState } from './use-row-view.ts'
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

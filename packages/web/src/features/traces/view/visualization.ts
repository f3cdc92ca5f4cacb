import type { ColorBy, TraceViewName } from '#lib/page-search.ts'
import type { TraceExtras } from '../extra-queries.ts'
import type { RunColors } from '../model/run-colors.ts'
import type { Squeeze, TimeWindow } from '../model/time-scale.ts'
import type { Trace } from '../model/trace.ts'
import type { Matches } from '../model/visible-rows.ts'

/** Search parameters of a trace page. */
export interface TraceSearch {
  v?: TraceViewName | undefined
  /** Tab of the run panel. */
  tab?: string | undefined
  /** Path of a JSON value to show. */
  path?: string | undefined
  /** Text to find in names, errors, models, tags and payloads. */
  q?: string | undefined
  /** Run types to show, separated by commas. */
  types?: string | undefined
  /** Hide runs shorter than 1 % of the trace. */
  short?: true | undefined
  /** Time window in milliseconds, `12.5-480`. */
  z?: string | undefined
  /** What the colors show. */
  colour?: ColorBy | undefined
  /** Whether the critical path is marked. */
  critical?: true | undefined
  /** Whether idle time is drawn narrow. */
  squeeze?: true | undefined
}

/** Changes the search parameters; Back undoes a `push`. */
export type OnTraceSearch = (change: Partial<TraceSearch>, how?: 'push' | 'replace') => void

/** How the runs are drawn over time. */
export interface TracePlot {
  /** The trace with its times as drawn: with idle time squeezed, if it is. */
  drawn: Trace
  squeeze: Squeeze | undefined
  /** The time in view. */
  timeWindow: TimeWindow
  setTimeWindow: (timeWindow: TimeWindow) => void
  colors: RunColors
  /** Rows of the critical path, while it is shown. */
  critical: ReadonlySet<number> | undefined
}

/** What the bar of a row depends on besides its run. */
export interface LaneView extends Omit<TracePlot, 'setTimeWindow'> {
  /** Width of the lane in px. */
  width: number
  /** Whether durations are printed beside the bars. */
  labels: boolean
  /** Whether the name column is too narrow for figures. */
  tight: boolean
}

/** Props of every visualization of a trace. */
export interface VisualizationProps {
  trace: Trace
  plot: TracePlot
  selected: number | undefined
  onSelect: (row: number) => void
  matches: Matches | undefined
  /** Queries for more about the trace; absent on pages that have none. */
  extras: TraceExtras | undefined
}

import type { RunColours } from '#lib/trace-model/run-colors.ts'
import type { Squeeze } from '#lib/trace-model/squeeze.ts'
import type { TimeWindow } from '#lib/trace-model/time-scale.ts'
import type { Trace } from '#lib/trace-model/trace.ts'
import type { ColorBy, TraceViewName } from '#lib/url/trace-search.ts'

/** How the trace is looked at; lives in the address bar. */
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
  /** What colours mean. */
  colour?: ColorBy | undefined
  /** Whether the critical path is marked. */
  critical?: true | undefined
  /** Whether idle stretches are made narrow. */
  squeeze?: true | undefined
}

/** Runs shorter than this share of the trace are hidden on request. */
export const SHORT_SHARE = 0.01

export const ROW_HEIGHT = 26
export const STACKED_ROW_HEIGHT = 44

/** What the drawing of one row depends on besides the trace. */
export interface LaneView {
  window: TimeWindow
  /** Width of the lane in pixels. */
  width: number
  /** Whether durations stand beside the bars. */
  labels: boolean
  /** Whether names have so little room that numbers would crowd them out. */
  tight: boolean
  colours: RunColours
  /** Rows of the critical path, while it is shown. */
  critical: ReadonlySet<number> | undefined
  /** The trace as it stands in time on the screen: with its gaps squeezed, if they are. */
  drawn: Trace
  squeeze: Squeeze | undefined
}

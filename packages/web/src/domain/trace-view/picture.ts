import type { TraceExtras } from '#data/trace-extras.ts'
import type { Matches } from '#lib/trace-model/filter-runs.ts'
import type { RunColours } from '#lib/trace-model/run-colors.ts'
import type { Squeeze } from '#lib/trace-model/squeeze.ts'
import type { TimeWindow } from '#lib/trace-model/time-scale.ts'
import type { Trace } from '#lib/trace-model/trace.ts'

/** What every picture of a trace shares with the others: the runs, the time in view, the filter and the selection. */
export interface PictureProps {
  trace: Trace
  /** The trace as it stands in time on the screen: with its gaps squeezed, if they are. */
  drawn: Trace
  squeeze: Squeeze | undefined
  window: TimeWindow
  onWindow: (window: TimeWindow) => void
  selected: number | undefined
  onSelect: (row: number) => void
  matches: Matches | undefined
  colours: RunColours
  /** Rows of the critical path, while it is shown. */
  critical: ReadonlySet<number> | undefined
  /** What else there is to ask for about the trace; a page that may not ask leaves it out. */
  extras: TraceExtras | undefined
}

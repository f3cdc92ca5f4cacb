import { useMemo } from 'react'
import { colorRuns } from '#lib/trace-model/run-colors.ts'
import { findCriticalPath } from '#lib/trace-model/self-time.ts'
import { squeezeGaps, squeezeTrace } from '#lib/trace-model/squeeze.ts'
import { fitWindow } from '#lib/trace-model/time-scale.ts'
import type { Trace } from '#lib/trace-model/trace.ts'
import { useTimeWindow } from './use-time-window.ts'
import type { OnTraceSearch, TracePlot, TraceSearch } from './visualization.ts'

/** Whether idle time is squeezed, and a setter; undefined when there is too little of it. */
export type Squeezing = { isOn: boolean; set: (isOn: boolean) => void } | undefined

/** How the runs are drawn over time, as the search parameters describe it. */
export function useTracePlot(trace: Trace, search: TraceSearch, onSearch: OnTraceSearch) {
  const available = useMemo(() => squeezeGaps(trace), [trace])
  const squeeze = search.squeeze ? available : undefined
  const drawn = useMemo(() => (squeeze ? squeezeTrace(trace, squeeze) : trace), [trace, squeeze])
  const [timeWindow, setTimeWindow] = useTimeWindow(drawn, search.z, (z) => onSearch({ z }))
  const colors = useMemo(() => colorRuns(trace, search.colour ?? 'type'), [trace, search.colour])
  const critical = useMemo(() => (search.critical ? findCriticalPath(trace) : undefined), [trace, search.critical])
  const plot: TracePlot = { drawn, squeeze, timeWindow, setTimeWindow, colors, critical }
  const squeezing: Squeezing = available && {
    isOn: squeeze !== undefined,
    set: (isOn) => {
      // The window is a range of drawn time, which changes with squeezing.
      setTimeWindow(fitWindow(drawn.duration))
      onSearch({ squeeze: isOn || undefined, z: undefined }, 'push')
    },
  }
  return { plot, squeezing }
}

import { useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { colorRuns } from '../model/run-colors.ts'
import { fitWindow, parseWindow, printWindow, squeezeGaps, squeezeTrace, type TimeWindow } from '../model/time-scale.ts'
import { findCriticalPath } from '../model/times.ts'
import type { Trace } from '../model/trace.ts'
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

/** The time in view. The URL follows once zooming pauses. */
function useTimeWindow(
  trace: Trace,
  z: string | undefined,
  onChange: (z: string | undefined) => void,
): [TimeWindow, (timeWindow: TimeWindow) => void] {
  const [shown, setShown] = useState<TimeWindow>()
  const timeWindow = useMemo(() => shown ?? parseWindow(z, trace.duration), [shown, z, trace.duration])
  const printed = printWindow(timeWindow, trace.duration)
  useSettled(() => onChange(printed), shown === undefined || printed === z ? undefined : (printed ?? ''), 250)
  // The whole trace is not stored as a window, so that a live trace stays whole while it grows.
  const { duration } = trace
  const set = useCallback(
    (chosen: TimeWindow) => {
      const isWhole = printWindow(chosen, duration) === undefined
      setShown(isWhole ? undefined : chosen)
      if (isWhole) onChange(undefined)
    },
    [duration, onChange],
  )
  return [timeWindow, set]
}

/** Calls back once a value has not changed for a while; `undefined` cancels the call. */
export function useSettled(call: () => void, value: string | undefined, delayMs: number): void {
  const run = useEffectEvent(call)
  useEffect(() => {
    if (value === undefined) return
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
}

import { useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { parseWindow, printWindow, type TimeWindow } from '#lib/trace-model/time-scale.ts'
import type { Trace } from '#lib/trace-model/trace.ts'

/** The time in view. The URL follows once zooming pauses. */
export function useTimeWindow(
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

import { useCallback, useMemo, useState } from 'react'
import { parseWindow, printWindow, type TimeWindow } from '#lib/trace-model/time-scale.ts'
import type { Trace } from '#lib/trace-model/trace.ts'
import { useLater } from './use-later.ts'

/** The stretch of time on screen. The address follows when zooming has come to rest. */
export function useTimeWindow(
  trace: Trace,
  z: string | undefined,
  onChange: (z: string | undefined) => void,
): [TimeWindow, (window: TimeWindow) => void] {
  const [shown, setShown] = useState<TimeWindow>()
  const window = useMemo(() => shown ?? parseWindow(z, trace.duration), [shown, z, trace.duration])
  const printed = printWindow(window, trace.duration)
  useLater(() => onChange(printed), shown === undefined || printed === z ? undefined : (printed ?? ''), 250)
  // The whole trace is not a window to hold on to: a trace that grows goes on being shown whole.
  const { duration } = trace
  const set = useCallback(
    (chosen: TimeWindow) => {
      const isWhole = printWindow(chosen, duration) === undefined
      setShown(isWhole ? undefined : chosen)
      if (isWhole) onChange(undefined)
    },
    [duration, onChange],
  )
  return [window, set]
}

import { useMemo, useState } from 'react'
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
  return [window, setShown]
}

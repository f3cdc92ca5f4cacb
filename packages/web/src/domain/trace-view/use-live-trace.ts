import { useEffect, useMemo, useState } from 'react'
import { traceAt } from '#lib/trace-model/live-trace.ts'
import type { Trace } from '#lib/trace-model/trace.ts'

/** Larger traces move on only when they are read again. */
const MOST_RUNS = 10_000

/** The trace with its running bars reaching to the present second, and the lost ones known as such. */
export function useLiveTrace(trace: Trace | undefined): Trace | undefined {
  const [now, setNow] = useState(Date.now)
  const isLive = trace !== undefined && trace.pending > 0
  const isTicking = isLive && trace.size <= MOST_RUNS
  useEffect(() => {
    if (!isTicking) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isTicking])
  return useMemo(
    () => (trace && isLive ? traceAt(trace, isTicking ? now : Date.now()) : trace),
    [trace, isLive, isTicking, now],
  )
}

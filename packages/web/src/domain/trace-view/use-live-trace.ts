import { useEffect, useMemo, useState } from 'react'
import type { Trace } from '#lib/trace-model/trace.ts'

/** A run that has said nothing for this long has probably lost its end; its bar stops growing. */
const LIVE_MICROS = 10 * 60_000_000
/** Larger traces only grow when they are read again. */
const MOST_RUNS = 5_000

/** The trace with its running bars reaching to the present second. */
export function useLiveTrace(trace: Trace | undefined): Trace | undefined {
  const [now, setNow] = useState(Date.now)
  const isLive = trace !== undefined && trace.pending > 0 && trace.size <= MOST_RUNS
  useEffect(() => {
    if (!isLive) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isLive])
  return useMemo(() => {
    if (!trace || !isLive) return trace
    const elapsed = Number(BigInt(now) * 1_000n - trace.startMicros)
    const isRecent = elapsed > trace.duration && elapsed < trace.duration + LIVE_MICROS
    return isRecent ? { ...trace, duration: elapsed } : trace
  }, [trace, isLive, now])
}

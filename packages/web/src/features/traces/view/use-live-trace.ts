import { useEffect, useMemo, useState } from 'react'
import { floatAt } from '#lib/columns.ts'
import { idAt, type Trace, toTraceAt } from '../model/trace.ts'

/** Larger traces change only when they are loaded again. */
const MOST_RUNS = 10_000

/** The trace with running runs extended to the current second, and with lost runs marked. */
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
    () => (trace && isLive ? toTraceAt(trace, isTicking ? now : Date.now()) : trace),
    [trace, isLive, isTicking, now],
  )
}

/** Whether the view follows the latest run while a trace is running. */
export function useFollowNewest(trace: Trace, onSelect: (runId: string) => void): [boolean, (on: boolean) => void] {
  const [following, setFollowing] = useState(false)
  const newest = following && trace.pending > 0 ? idAt(trace, newestOf(trace)) : undefined
  useEffect(() => {
    if (newest !== undefined) onSelect(newest)
  }, [newest, onSelect])
  return [following, setFollowing]
}

function newestOf(trace: Trace): number {
  let best = 0
  for (let row = 1; row < trace.size; row++) if (floatAt(trace.start, row) >= floatAt(trace.start, best)) best = row
  return best
}

import { useEffect, useState } from 'react'
import { floatAt } from '#lib/trace-model/columns.ts'
import { idAt, type Trace } from '#lib/trace-model/trace.ts'

/** Whether the view goes along to the newest run while a trace is running. */
export function useFollowing(trace: Trace, onSelect: (runId: string) => void): [boolean, (on: boolean) => void] {
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

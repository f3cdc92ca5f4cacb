import { useEffect, useEffectEvent } from 'react'

/** Calls once a value has stood still for a while; `undefined` means there is nothing to call for. */
export function useLater(call: () => void, value: string | undefined, delayMs: number): void {
  const run = useEffectEvent(call)
  useEffect(() => {
    if (value === undefined) return
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
}

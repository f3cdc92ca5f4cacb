import { useEffect, useState } from 'react'

/** Turns true after `value` has been true for `delayMs`; turns false at once. */
export function useDelayedFlag(value: boolean, delayMs: number): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    if (!value) {
      setLate(false)
      return
    }
    const timer = setTimeout(() => setLate(true), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return value && late
}

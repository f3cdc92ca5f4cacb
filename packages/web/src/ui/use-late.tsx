import { useEffect, useState } from 'react'

/** Follows `value` to true only after it has been so for `delayMs`; to false at once. */
export function useLate(value: boolean, delayMs: number): boolean {
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

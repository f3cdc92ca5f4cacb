import { useEffect, useState } from 'react'

/**
 * A value from the URL as the user last changed it: a change is shown at once, while the page still loads what it leads
 * to, and the next change starts from it.
 *
 * @param value     the value that the page has
 * @param onChange  navigates
 * @param isSame    must be true for a value that is read from the URL again
 * @returns the value to show, and the function that changes it
 */
export function useAppliedValue<Value>(
  value: Value,
  onChange: (value: Value) => void,
  isSame: (one: Value, other: Value) => boolean,
): readonly [Value, (to: Value) => void] {
  const [applied, setApplied] = useState<{ from: Value; to: Value }>()
  const isPending = applied !== undefined && isSame(applied.from, value)
  // Once the URL has changed, it counts, also when Back returns to the value before.
  if (applied !== undefined && !isPending) setApplied(undefined)
  // Back and Forward end a navigation that has not arrived, and may lead to the value that the page still has.
  useEffect(() => {
    const forget = () => setApplied(undefined)
    window.addEventListener('popstate', forget)
    return () => window.removeEventListener('popstate', forget)
  }, [])
  function change(to: Value) {
    setApplied({ from: value, to })
    onChange(to)
  }
  return [isPending ? applied.to : value, change]
}

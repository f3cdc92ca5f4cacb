import { useEffect, useRef } from 'react'

/** Reports whether a field has text that is not applied; it has none when it is gone. */
export function usePending(isPending: boolean, onPending: ((isPending: boolean) => void) | undefined): void {
  const report = useRef(onPending)
  useEffect(() => {
    report.current = onPending
  })
  useEffect(() => report.current?.(isPending), [isPending])
  useEffect(() => () => report.current?.(false), [])
}

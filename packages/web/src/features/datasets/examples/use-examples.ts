import { useQueries, useQuery } from '@tanstack/react-query'
import type { Example } from '@touchstone/sdk'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { getPages, toExampleRows } from './logic/example-rows.ts'
import { type ExamplesView, exampleQuery, PAGE_SIZE } from './queries.ts'

/** A scroll that passes pages quickly does not load them. */
const SETTLE_MS = 40

/**
 * A list of examples of any length. Only the pages in view are loaded, so that every position is one request away. The
 * rows of the previous view stay until those of the new one are here.
 *
 * @param wanted  must keep its identity while it stays the same
 */
export function useExamples(wanted: ExamplesView) {
  const [shown, setShown] = useState(wanted)
  const [range, setRange] = useState({ from: 0, to: PAGE_SIZE })
  const wantedFirst = useQuery(exampleQuery.page(wanted, 0))
  const wantedCount = useQuery(exampleQuery.count(wanted))
  const isReady = wantedFirst.data !== undefined && wantedCount.data !== undefined
  if (shown !== wanted && isReady) {
    setShown(wanted)
    setRange({ from: 0, to: PAGE_SIZE })
  }
  const count = useQuery(exampleQuery.count(shown)).data
  const numbers = useMemo(
    () => getPages(range.from, Math.min(range.to, Math.max(count ?? 0, 1)), PAGE_SIZE),
    [range, count],
  )
  const pages = useQueries({
    queries: numbers.map((page) => exampleQuery.page(shown, page)),
    combine: combinePages,
  })
  const rows = useMemo(() => {
    const loaded = numbers.flatMap((page, at) => {
      const examples = pages.data[at]
      return examples === undefined ? [] : [[page, examples] as const]
    })
    return toExampleRows(count ?? 0, new Map(loaded), PAGE_SIZE)
  }, [count, numbers, pages.data])
  const failed = [wantedFirst, wantedCount].find(({ isError }) => isError)
  return {
    rows,
    /** Undefined until the first view is counted. */
    count,
    /** The first examples, from which columns are derived; they do not change while the user scrolls. */
    first: useQuery(exampleQuery.page(shown, 0)).data,
    isStale: shown !== wanted,
    error: failed?.error ?? pages.error,
    retry: () => void Promise.all([wantedFirst.refetch(), wantedCount.refetch(), ...pages.retry.map((one) => one())]),
    showRange: useSettled(useCallback((from: number, to: number) => setRange({ from, to }), [])),
  }
}

export type Examples = ReturnType<typeof useExamples>

interface PageResult {
  data: Example[] | undefined
  error: Error | null
  isError: boolean
  refetch: () => Promise<unknown>
}

function combinePages(results: readonly PageResult[]) {
  return {
    data: results.map(({ data }) => data),
    error: results.find(({ error }) => error !== null)?.error ?? undefined,
    retry: results.filter(({ isError }) => isError).map(({ refetch }) => refetch),
  }
}

/** Calls `act` once its arguments have stopped changing. */
function useSettled(act: (from: number, to: number) => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(
    (from: number, to: number) => {
      clearTimeout(timer.current)
      timer.current = setTimeout(() => act(from, to), SETTLE_MS)
    },
    [act],
  )
}

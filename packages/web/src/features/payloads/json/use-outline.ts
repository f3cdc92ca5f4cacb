import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { OutlineState } from '#lib/json/json-api.ts'
import { type JsonHost, readFolds } from '#lib/json/json-host.ts'
import type { JsonRow, OutlineRoot } from '#lib/json/json-rows.ts'

export interface Outline {
  /** Undefined until the document has been looked at. */
  length: number | undefined
  /** Counts the changes of what is open. */
  version: number
  /** A change of what is open; resolves with the row to bring into view, if the change names one. */
  change: (make: () => Promise<OutlineState>) => Promise<number | undefined>
}

/**
 * Opens a document as rows, wherever it is read.
 *
 * @param columns  characters beside each other; undefined until the width is known
 * @param place    under which it is remembered what was left open and closed
 */
export function useOutline(
  host: JsonHost,
  roots: readonly OutlineRoot[] | undefined,
  columns: number | undefined,
  place: string | undefined,
): Outline {
  const [state, setState] = useState<{ host?: JsonHost; length?: number; version: number }>({ version: 0 })
  const wrappedAt = useRef(0)
  const latestColumns = useEffectEvent(() => columns ?? 100)
  const remembered = useEffectEvent(() => (place === undefined ? [] : readFolds(place)))
  const hasWidth = columns !== undefined

  useEffect(() => {
    if (!hasWidth) return
    let isCurrent = true
    wrappedAt.current = latestColumns()
    void host.call('outline', roots, wrappedAt.current, remembered()).then(({ length }) => {
      if (isCurrent) setState(({ version }) => ({ host, length, version: version + 1 }))
    })
    return () => {
      isCurrent = false
    }
  }, [host, roots, hasWidth])

  const change = useCallback<Outline['change']>(async (make) => {
    const { length, row } = await make()
    setState((old) => ({ ...old, length, version: old.version + 1 }))
    return row
  }, [])

  const isReady = state.host === host && state.length !== undefined
  useEffect(() => {
    if (!isReady || columns === undefined || columns === wrappedAt.current) return
    wrappedAt.current = columns
    void change(() => host.call('setColumns', columns))
  }, [isReady, columns, host, change])

  return { length: isReady ? state.length : undefined, version: state.version, change }
}

interface Loaded {
  host: JsonHost
  version: number
  from: number
  rows: JsonRow[]
}

/** Rows around those in view. Read at once where the page holds the document; otherwise the last ones stay until the next are here. */
export function useRows(
  host: JsonHost,
  { length = 0, version }: Outline,
  from: number,
  to: number,
): (row: number) => JsonRow | undefined {
  const [loaded, setLoaded] = useState<Loaded>()
  const [start, end] = [
    Math.max(Math.floor(from / 100) * 100 - 100, 0),
    Math.min(Math.ceil(to / 100) * 100 + 100, length),
  ]

  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for what is open
  const here = useMemo(
    () => (host.api && length > 0 ? host.api.rows(from, to) : undefined),
    [host, version, length, from, to],
  )
  useEffect(() => {
    if (host.api || length === 0) return
    let isCurrent = true
    void host.call('rows', start, end).then((rows) => isCurrent && setLoaded({ host, version, from: start, rows }))
    return () => {
      isCurrent = false
    }
  }, [host, version, length, start, end])

  if (here) return (row) => here[row - from]
  return (row) => (loaded?.host === host ? loaded.rows[row - loaded.from] : undefined)
}

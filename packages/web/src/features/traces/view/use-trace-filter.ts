import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { TraceExtras } from '../extra-queries.ts'
import { findRow, type Trace } from '../model/trace.ts'
import type { RunFilter } from '../model/visible-rows.ts'
import { useSettled } from './use-trace-plot.ts'
import type { OnTraceSearch, TraceSearch } from './visualization.ts'

/** Runs shorter than this share of the trace can be hidden. */
const SHORT_SHARE = 0.01
/** How long typing must pause before the URL follows. */
const URL_DELAY_MS = 250

export type TraceFilter = ReturnType<typeof useTraceFilter>

/** The search text and the filters of a trace. The text follows every key press, the URL a moment later. */
export function useTraceFilter(
  trace: Trace,
  search: TraceSearch,
  onSearch: OnTraceSearch,
  extras: TraceExtras | undefined,
) {
  const [text, setText] = useState(search.q ?? '')
  useSettled(() => onSearch({ q: text || undefined }), text === (search.q ?? '') ? undefined : text, URL_DELAY_MS)
  const types = useMemo(() => search.types?.split(',').filter(Boolean) ?? [], [search.types])
  const payloads = usePayloadSearch(trace, text, extras)
  const criteria: RunFilter = {
    text: useDeferredValue(text),
    rowsWithText: payloads.rows,
    types,
    minimumShare: search.short ? SHORT_SHARE : undefined,
  }
  function clear() {
    setText('')
    onSearch({ q: undefined, types: undefined, short: undefined }, 'push')
  }
  return { text, setText, types, payloads, criteria, clear }
}

export interface PayloadSearch {
  /** Runs whose payload contains the text; undefined without a search or before its result. */
  rows: ReadonlySet<number> | undefined
  isSearching: boolean
  hasFailed: boolean
}

/** Shorter texts match too many payloads. */
const MIN_LENGTH = 3

/** Searches the payloads of a trace on the server, once typing pauses. */
function usePayloadSearch(trace: Trace, text: string, extras: TraceExtras | undefined): PayloadSearch {
  const typed = text.trim()
  const [searched, setSearched] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setSearched(typed), 300)
    return () => clearTimeout(timer)
  }, [typed])
  const canSearch = extras?.search !== undefined && typed.length >= MIN_LENGTH
  const isSearched = canSearch && searched.length >= MIN_LENGTH
  const found = useQuery({ ...(extras?.search?.(searched) ?? NOTHING), enabled: isSearched })
  const ids = isSearched && searched === typed ? found.data : undefined
  const rows = useMemo(() => ids && new Set(ids.flatMap((id) => findRow(trace, id) ?? [])), [trace, ids])
  return {
    rows,
    isSearching: canSearch && (searched !== typed || found.isFetching),
    hasFailed: isSearched && found.isError,
  }
}

const NOTHING = { queryKey: ['trace-search', 'none'], queryFn: (): string[] => [] }

import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { TraceExtras } from '#data/trace-extras.ts'
import { rowOf, type Trace } from '#lib/trace-model/trace.ts'

export interface PayloadSearch {
  /** Runs whose payload holds the text; undefined while nothing is sought or nothing is known yet. */
  rows: ReadonlySet<number> | undefined
  isSearching: boolean
  hasFailed: boolean
}

/** Shorter texts are in too many payloads to be worth asking for. */
const SHORTEST = 3

/** Looks for a text in the payloads of a trace, which only the server has; asked once typing has come to rest. */
export function usePayloadSearch(trace: Trace, text: string, extras: TraceExtras | undefined): PayloadSearch {
  const wanted = text.trim()
  const [sought, setSought] = useState(wanted)
  useEffect(() => {
    const timer = setTimeout(() => setSought(wanted), 300)
    return () => clearTimeout(timer)
  }, [wanted])
  const isWorthIt = extras?.search !== undefined && wanted.length >= SHORTEST
  const isAsked = isWorthIt && sought.length >= SHORTEST
  const found = useQuery({ ...(extras?.search?.(sought) ?? NOTHING), enabled: isAsked })
  const ids = isAsked && sought === wanted ? found.data : undefined
  const rows = useMemo(() => ids && new Set(ids.flatMap((id) => rowOf(trace, id) ?? [])), [trace, ids])
  return {
    rows,
    isSearching: isWorthIt && (sought !== wanted || found.isFetching),
    hasFailed: isAsked && found.isError,
  }
}

const NOTHING = { queryKey: ['trace-search', 'none'], queryFn: (): string[] => [] }

import { useEffect, useState } from 'react'
import type { JsonHost } from '#lib/json/json-host.ts'
import { MOST_HITS } from '#lib/json/search-json.ts'

export interface Stretch {
  start: number
  end: number
}

export interface JsonHits {
  /** Offsets of the hits found so far, in order. */
  offsets: readonly number[]
  done: boolean
}

const CHUNK = 4_000_000
const NONE: JsonHits = { offsets: [], done: true }

/** Searches a document piece by piece; a new query cuts in. */
export function useJsonSearch(host: JsonHost, query: string, stretches: readonly Stretch[]): JsonHits {
  const [hits, setHits] = useState(NONE)
  useEffect(() => {
    if (query === '') return setHits(NONE)
    let isCurrent = true
    void (async () => {
      const offsets: number[] = []
      for (const { start, end } of stretches) {
        for (let from = start; from < end && offsets.length < MOST_HITS; from += CHUNK) {
          const found = await host.call('search', query, from, Math.min(from + CHUNK, end))
          if (!isCurrent) return
          for (const offset of found) offsets.push(offset)
          setHits({ offsets: [...offsets], done: false })
        }
      }
      setHits({ offsets, done: true })
    })()
    return () => {
      isCurrent = false
    }
  }, [host, query, stretches])
  return hits
}

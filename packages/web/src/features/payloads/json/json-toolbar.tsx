import { ChevronDown, ChevronUp, Search } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { formatBytes, formatCount, pluralize } from '#lib/format.ts'
import { MOST_HITS } from '#lib/json/json-api.ts'
import type { JsonHost } from '#lib/json/json-host.ts'
import { IconButton } from '#ui/button.tsx'

export interface JsonToolbarProps {
  /** Name of the document. */
  label: string
  /** Shown first. */
  tools: ReactNode
  bytes: number
  query: string
  onQuery: (query: string) => void
  hits: JsonHits
  /** Index of the current hit, or -1. */
  hit: number
  onHit: (by: 1 | -1) => void
}

/** Search box, hits and size of a document. */
export function JsonToolbar({ label, tools, bytes, query, onQuery, hits, hit, onHit }: JsonToolbarProps) {
  const { offsets, done } = hits
  return (
    <div className="flex h-8 shrink-0 items-center gap-1 border-b border-border px-2">
      {tools}
      <div className="relative min-w-20 flex-1">
        <Search size={12} aria-hidden className="absolute left-1.5 top-1/2 -translate-y-1/2 text-fg-subtle" />
        <input
          type="search"
          aria-label={`Search ${label}`}
          placeholder="Search"
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onHit(event.shiftKey ? -1 : 1)
            if (event.key === 'Escape') onQuery('')
          }}
          className="h-6 w-full rounded-control border border-transparent bg-transparent pl-6 pr-1 text-row placeholder:text-fg-subtle hover:border-border focus:border-border coarse:h-10"
        />
      </div>
      {query !== '' && (
        <>
          <span role="status" className="whitespace-nowrap text-meta tabular-nums text-fg-muted">
            {hit >= 0 ? `${formatCount(hit + 1)} / ` : ''}
            {pluralize(offsets.length, 'hit')}
            {done ? '' : ' …'}
          </span>
          <IconButton icon={ChevronUp} label="Previous hit" onClick={() => onHit(-1)} />
          <IconButton icon={ChevronDown} label="Next hit" onClick={() => onHit(1)} />
        </>
      )}
      <span className="whitespace-nowrap text-meta tabular-nums text-fg-subtle">{formatBytes(bytes)}</span>
    </div>
  )
}

interface Stretch {
  start: number
  end: number
}

interface JsonHits {
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

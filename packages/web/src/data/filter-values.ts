import { queryOptions } from '@tanstack/react-query'
import type { RunFacetsQuery } from '@touchstone/sdk'
import { SUBJECTS } from '#lib/filter/fields.ts'
import { client } from './client.ts'

/** What a form wants to know of the data: keys that entries have, or values of a subject. */
export interface ValueAsk {
  kind: 'key' | 'value'
  subject: string
  /** Of one entry: which. */
  key: string
  /** Only what contains this. */
  contains: string
}

/** A value that occurs, and how many runs have it. */
export interface ObservedValue {
  value: string
  n: number
}

type Conditions = Omit<RunFacetsQuery, 'facets' | 'metadata_keys' | 'limit' | 'contains'>

const MOST = 12

/** Values observed among some runs, the most frequent first; nothing where the server does not count them. */
export function observedValuesQuery(conditions: Conditions, ask: ValueAsk) {
  return queryOptions({
    queryKey: ['filter-values', conditions, ask],
    queryFn: ({ signal }) => readValues(conditions, ask, signal),
    enabled: isCounted(ask),
    staleTime: 30_000,
    retry: false,
    meta: { quiet: true },
  })
}

function isCounted({ kind, subject, key }: ValueAsk): boolean {
  const { facet, entry } = SUBJECTS[subject] ?? {}
  if (entry === undefined) return facet !== undefined
  return kind === 'key' ? /^(metadata|feedback)_key$/.test(entry.key) : entry.key === 'metadata_key' && key !== ''
}

async function readValues(conditions: Conditions, ask: ValueAsk, signal: AbortSignal): Promise<ObservedValue[]> {
  const { facet, entry } = SUBJECTS[ask.subject] ?? {}
  if (entry?.key === 'feedback_key') return readFeedbackKeys(conditions, ask.contains, signal)
  const body = {
    ...conditions,
    limit: MOST,
    contains: ask.contains || undefined,
    facets: ask.kind === 'key' ? (['metadata_key'] as const).slice() : facet === undefined ? [] : [facet],
    metadata_keys: ask.kind === 'value' && entry !== undefined ? [ask.key] : [],
  }
  const { facets } = await client.queryRunFacets(body as RunFacetsQuery, { signal })
  return facets.flatMap(({ values }) => values.map(({ value, n }) => ({ value, n })))
}

async function readFeedbackKeys(conditions: Conditions, contains: string, signal: AbortSignal) {
  const stats = await client.queryRunStats({ ...conditions, select: ['feedback_stats'] }, { signal })
  const byKey = (stats as { feedback_stats?: Record<string, { n: number }> | null }).feedback_stats ?? {}
  return Object.entries(byKey)
    .filter(([key]) => key.toLowerCase().includes(contains.toLowerCase()))
    .map(([value, { n }]) => ({ value, n }))
    .sort((a, b) => b.n - a.n)
    .slice(0, MOST)
}

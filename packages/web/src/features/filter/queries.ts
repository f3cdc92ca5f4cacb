import { queryOptions } from '@tanstack/react-query'
import type { RunFacetsQuery } from '@touchstone/sdk'
import { client } from '#lib/api/client.ts'
import { SUBJECTS } from '#lib/filter/fields.ts'

/** Which suggestions a filter form needs: keys of entries, or values of a field. */
export interface ValueRequest {
  kind: 'key' | 'value'
  subject: string
  /** Key of the entry whose values are requested. */
  key: string
  /** Only suggestions that contain this text. */
  contains: string
}

/** A value and the number of runs that have it. */
export interface ObservedValue {
  value: string
  n: number
}

type Conditions = Omit<RunFacetsQuery, 'facets' | 'metadata_keys' | 'limit' | 'contains'>

const MAX_VALUES = 12

/** Values of some runs, the most frequent first. Disabled for fields that the server does not count. */
export function observedValuesQuery(conditions: Conditions, request: ValueRequest) {
  return queryOptions({
    queryKey: ['filter-values', conditions, request],
    queryFn: ({ signal }) => readValues(conditions, request, signal),
    enabled: isCounted(request),
    staleTime: 30_000,
    retry: false,
    meta: { quiet: true },
  })
}

function isCounted({ kind, subject, key }: ValueRequest): boolean {
  const { facet, entry } = SUBJECTS[subject] ?? {}
  if (entry === undefined) return facet !== undefined
  return kind === 'key' ? /^(metadata|feedback)_key$/.test(entry.key) : entry.key === 'metadata_key' && key !== ''
}

async function readValues(
  conditions: Conditions,
  request: ValueRequest,
  signal: AbortSignal,
): Promise<ObservedValue[]> {
  const { facet, entry } = SUBJECTS[request.subject] ?? {}
  if (entry?.key === 'feedback_key') return readFeedbackKeys(conditions, request.contains, signal)
  const body = {
    ...conditions,
    limit: MAX_VALUES,
    contains: request.contains || undefined,
    facets: request.kind === 'key' ? (['metadata_key'] as const).slice() : facet === undefined ? [] : [facet],
    metadata_keys: request.kind === 'value' && entry !== undefined ? [request.key] : [],
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
    .slice(0, MAX_VALUES)
}

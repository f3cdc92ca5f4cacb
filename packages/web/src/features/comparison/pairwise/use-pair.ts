import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { meQuery } from '#features/accounts/me.ts'
import type { CompareSearch } from '#features/experiments/search.ts'
import { parseSelected, type SearchChange } from '../logic/compare-state.ts'
import { comparisonQuery } from '../queries.ts'
import { chooseSides, filterPairs, readPairFilter, toPairs } from './pairwise.ts'
import { pairwiseQuery } from './queries.ts'

export type Pair = ReturnType<typeof usePair>

export interface PairOptions {
  datasetId: string
  comparisonId: string
  search: CompareSearch
  /** @param how  `push` for deliberate changes, `replace` for continuous ones. @default 'push' */
  change: (change: SearchChange, how?: 'push' | 'replace') => void
  /** Token of the share link to read through. */
  share?: string | undefined
}

/** Loads a comparison of two experiments and computes what its page shows. */
export function usePair({ datasetId, comparisonId, search, change, share }: PairOptions) {
  // A reader of a share link has not voted.
  const me = useQuery({ ...meQuery.current(), enabled: share === undefined })
  const isReaderKnown = share !== undefined || !me.isPending
  const comparison = useQuery(pairwiseQuery.one(datasetId, comparisonId, share))
  const experiments = comparison.data?.experiments_info
  const { a, b } = chooseSides(parseSelected(search).ids, experiments ?? [])
  const view = { datasetId, experimentIds: a && b ? [a, b] : [], comparativeExperimentId: comparisonId, share }
  const cells = useQuery(comparisonQuery.cells(view))
  const records = useQuery(pairwiseQuery.records(comparisonId, share))
  const statistics = useQuery({
    ...pairwiseQuery.statistics({ datasetId, comparisonId, a: a ?? '', b: b ?? '', share }),
    enabled: a !== undefined && b !== undefined,
  })
  const readerId = me.data?.id ?? null
  const pairs = useMemo(() => {
    if (!cells.data || !records.data || !isReaderKnown) return undefined
    const find = (id: string | undefined) => cells.data.experiments.findIndex((one) => one.id === id)
    return toPairs(cells.data, { a: find(a), b: find(b) }, records.data, readerId)
  }, [cells.data, records.data, isReaderKnown, readerId, a, b])
  const key = pairs?.keys.find((one) => one === search.metric) ?? pairs?.keys[0]
  const filter = readPairFilter(search.show)
  const shown = useMemo(() => filterPairs(pairs?.rows ?? [], filter, key), [pairs, filter, key])
  const nameOf = (id: string | undefined) =>
    cells.data?.experiments.find((one) => one.id === id)?.name ??
    experiments?.find((one) => one.id === id)?.name ??
    'Deleted experiment'
  return {
    comparison,
    queries: [comparison, cells, records] as const,
    statistics: statistics.data,
    view: { datasetId, comparisonId, a: a ?? '', b: b ?? '', share },
    texts: view,
    names: { a: nameOf(a), b: nameOf(b) },
    pairs,
    key,
    filter,
    shown,
    readerId,
    change,
  }
}

import { useQuery } from '@tanstack/react-query'
import type { KeyComparison } from '@touchstone/sdk'
import { useMemo } from 'react'
import { statisticsQuery } from '#features/experiments/queries.ts'
import type { Comparison } from '../comparison.ts'
import { hashScores } from '../logic/distribution.ts'

/** The server's statistics of all compared experiments against the baseline, over all examples. One request for the page. */
export function useVerdicts({ view, cells, measured, baseline }: Comparison) {
  const ids = cells.experiments.map(({ id }) => id)
  const baselineId = ids[baseline] ?? ''
  const query = useQuery({
    ...statisticsQuery.compare({
      datasetId: view.datasetId,
      baselineId,
      experimentIds: ids.filter((id) => id !== baselineId),
      comparativeExperimentId: view.comparativeExperimentId,
      share: view.share,
      revision: useMemo(() => hashScores(cells), [cells]),
    }),
    enabled: measured.baseline !== undefined,
  })
  const results = query.data?.results
  const byExperiment = useMemo(() => {
    const found = new Map<string, Map<string, KeyComparison>>()
    for (const result of results ?? []) {
      const ofExperiment = found.get(result.session_id) ?? new Map<string, KeyComparison>()
      found.set(result.session_id, ofExperiment.set(result.feedback_key, result))
    }
    return found
  }, [results])
  return {
    query,
    /** Undefined while loading, and for keys that not both scored. */
    find: (experimentId: string, key: string) => byExperiment.get(experimentId)?.get(key),
  }
}

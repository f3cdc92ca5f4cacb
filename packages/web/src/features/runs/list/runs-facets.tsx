import { useQuery } from '@tanstack/react-query'
import { parseFilter } from '@touchstone/contract/filter'
import { useState } from 'react'
import { FacetRail } from '#features/filter/facet-rail.tsx'
import { addClauses, type Filters, hasClause, toClause, toExclusion } from '#lib/filter/chips.ts'
import type { Bounds } from '#lib/time/time-range.ts'
import { ErrorState } from '#ui/states.tsx'
import type { RunsView } from '../queries.ts'
import { runStatsQuery, STATS_LIVE_MS } from '../stats-queries.ts'

export interface RunsFacetsProps {
  view: RunsView
  bounds: Bounds
  isLive: boolean
  onFilters: (filters: Filters) => void
}

/** The values that occur among the listed runs. */
export function RunsFacets({ view, bounds, isLive, onFilters }: RunsFacetsProps) {
  const [openKeys, setOpenKeys] = useState<readonly string[]>([])
  const refetchInterval = isLive ? STATS_LIVE_MS : (false as const)
  const facets = useQuery({ ...runStatsQuery.facets(view, bounds, openKeys), refetchInterval })
  const feedback = useQuery({ ...runStatsQuery.feedback(view, bounds), refetchInterval })

  function pick(text: string, isExcluded: boolean) {
    const filter = parseFilter(text)
    if (filter === undefined) return
    const clause = toClause(isExcluded ? toExclusion(filter) : filter)
    const { run } = view.filters
    if (!hasClause(run, clause)) onFilters({ ...view.filters, run: addClauses(run, [clause]) })
  }
  return (
    <FacetRail
      facets={facets.data}
      feedback={feedback.data}
      openKeys={openKeys}
      onOpenKeys={setOpenKeys}
      onPick={pick}
      failure={
        facets.isError && (
          <ErrorState
            compact
            title="Could not load facets"
            error={facets.error}
            onRetry={() => void facets.refetch()}
          />
        )
      }
    />
  )
}

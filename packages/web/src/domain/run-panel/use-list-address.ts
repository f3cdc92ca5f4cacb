import { useRouter } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'
import type { Filter } from '@touchstone/contract/filter'
import { useCallback } from 'react'
import { addClauses, clauseOf } from '#lib/filter/chips.ts'

const WEEK_MS = 7 * 86_400_000

/** What of a list's address leads to other runs like one. */
export interface ListSearch {
  scope?: 'runs' | 'traces' | undefined
  t?: string | undefined
  filter?: string | undefined
  cols?: string | undefined
}

/**
 * The list of a run's project, changed in some way: the one that the run is shown beside, or one that surely holds the
 * run. Reads the address as it is when it is called.
 */
export function useListLink({ session_id, parent_run_id, start_time, app_path }: Run) {
  const router = useRouter()
  return useCallback(
    (change: (kept: ListSearch) => ListSearch) => {
      const { pathname, search } = router.state.location
      const isBesideList = !/\/r\/[^/]+$/.test(pathname)
      const fresh: ListSearch = {
        ...(parent_run_id != null && { scope: 'runs' as const }),
        ...(Date.parse(start_time) < Date.now() - WEEK_MS && { t: 'all' }),
      }
      const kept = isBesideList ? (search as ListSearch) : fresh
      return {
        to: '/o/$tenant/projects/p/$projectId',
        params: { tenant: app_path?.split('/')[2] ?? pathname.split('/')[2] ?? '', projectId: session_id },
        search: { ...kept, ...change(kept) },
      } as const
    },
    [router, session_id, parent_run_id, start_time, app_path],
  )
}

/** Adds a condition to those of a list. */
export function addCondition(filter: Filter) {
  return (kept: ListSearch): ListSearch => ({ filter: addClauses(kept.filter, [clauseOf(filter)]) })
}

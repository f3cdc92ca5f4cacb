import { useRouter } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'
import { Columns3, Filter } from 'lucide-react'
import { useCallback } from 'react'
import type { PickedValue, ValueAction } from '#domain/json-view/value-actions.ts'
import { DEFAULT_COLUMNS } from '#lib/default-columns.ts'
import { addClauses, clauseOf } from '#lib/filter/chips.ts'
import { filterOfValue } from '#lib/json/path-filter.ts'
import { jsonColumn } from '#lib/run-column-ids.ts'

/** What of a run a list can show in columns. */
const COLUMN_TOPS = new Set(['inputs', 'outputs', 'extra'])
const WEEK_MS = 7 * 86_400_000

interface ListSearch {
  scope?: 'runs' | 'traces' | undefined
  t?: string | undefined
  filter?: string | undefined
  cols?: string | undefined
}

/** Actions on a value of a run that lead to the list of its project: the runs that have it too, or a column of it. */
export function useValueActions({ session_id, parent_run_id, start_time, app_path }: Run) {
  const router = useRouter()
  return useCallback(
    (picked: PickedValue): ValueAction[] => {
      const { path, kind, preview, text } = picked
      const { pathname, search } = router.state.location
      const isBesideList = !/\/r\/[^/]+$/.test(pathname)
      const tenant = app_path?.split('/')[2] ?? pathname.split('/')[2] ?? ''
      const goTo = (change: (kept: ListSearch) => ListSearch) => {
        const fresh: ListSearch = {
          ...(parent_run_id != null && { scope: 'runs' as const }),
          ...(Date.parse(start_time) < Date.now() - WEEK_MS && { t: 'all' }),
        }
        const kept = isBesideList ? (search as ListSearch) : fresh
        void router.navigate({
          to: '/o/$tenant/projects/p/$projectId',
          params: { tenant, projectId: session_id },
          search: { ...kept, ...change(kept) },
        })
      }
      const actions: ValueAction[] = []
      if (filterOfValue(path, kind, preview)) {
        const act = async () => {
          const filter = filterOfValue(path, kind, await text())
          if (filter) goTo((kept) => ({ filter: addClauses(kept.filter, [clauseOf(filter)]) }))
        }
        actions.push({ label: 'Filter runs by this value', icon: Filter, act })
      }
      if (path.length > 1 && COLUMN_TOPS.has(String(path[0]))) {
        const column = jsonColumn(path)
        const act = () => goTo((kept) => ({ cols: withColumn(kept.cols, column) }))
        actions.push({ label: 'Pin as column', icon: Columns3, act })
      }
      return actions
    },
    [router, session_id, parent_run_id, start_time, app_path],
  )
}

function withColumn(cols: string | undefined, column: string): string {
  const shown = cols?.split(',') ?? DEFAULT_COLUMNS
  return [...shown.filter((id) => id !== column), column].join(',')
}

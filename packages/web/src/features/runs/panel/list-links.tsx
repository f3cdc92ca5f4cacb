import { Link, useLocation, useRouter } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'
import type { Filter } from '@touchstone/contract/filter'
import { Columns3, Filter as FilterIcon } from 'lucide-react'
import { type ReactNode, useCallback } from 'react'
import type { PickedValue, ValueAction } from '#features/payloads/json/value-actions.ts'
import { addClauses, toClause } from '#lib/filter/chips.ts'
import { toValueFilter } from '#lib/json/json-path.ts'
import { DEFAULT_COLUMNS, jsonColumn } from '#lib/run-columns.ts'

const WEEK_MS = 7 * 86_400_000

/** Search params of the list of runs that these links change. */
export interface ListSearch {
  scope?: 'runs' | 'traces' | undefined
  t?: string | undefined
  filter?: string | undefined
  cols?: string | undefined
}

/**
 * Builds links to the list of the run's project: the list beside the run with its filters, or a list that contains
 * the run. Reads the URL when it is called.
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

/** Adds a condition to the filter of the list. */
export function addCondition(filter: Filter) {
  return (kept: ListSearch): ListSearch => ({ filter: addClauses(kept.filter, [toClause(filter)]) })
}

export interface FilterChipLinkProps {
  run: Run
  /** Condition that the linked runs share. */
  filter: Filter
  title?: string | undefined
  children: ReactNode
}

/** A fact of a run that links to the runs with the same value. */
export function FilterChipLink({ run, filter, title, children }: FilterChipLinkProps) {
  const addressOf = useListLink(run)
  // Beside a list the URL changes while the run stays the same.
  useLocation()
  return (
    <Link {...addressOf(addCondition(filter))} title={title} className="min-w-0 truncate hover:text-fg hover:underline">
      {children}
    </Link>
  )
}

/** Leaves a deleted trace: back to the list beside the panel, or to the list of its project. */
export function useLeaveTrace({ app_path, session_id }: Run): () => void {
  const router = useRouter()
  return () => {
    const { pathname } = router.state.location
    const isPage = /\/r\/[^/]+$/.test(pathname)
    if (!isPage) {
      return void router.navigate({
        to: '.',
        search: (kept) => ({ ...kept, peek: undefined, tab: undefined }),
        replace: true,
      })
    }
    const tenant = pathname.split('/')[2] ?? app_path?.split('/')[2] ?? ''
    void router.navigate({
      to: '/o/$tenant/projects/p/$projectId',
      params: { tenant, projectId: session_id },
      replace: true,
    })
  }
}

/** Top-level fields that a list can show as columns. */
const COLUMN_TOPS = new Set(['inputs', 'outputs', 'extra'])

/** Actions for a value of a run: filter the list by it, or add a column for it. */
export function useValueActions(run: Run) {
  const router = useRouter()
  const addressOf = useListLink(run)
  return useCallback(
    ({ path, kind, preview, text }: PickedValue): ValueAction[] => {
      const goTo = (change: (kept: ListSearch) => ListSearch) => void router.navigate(addressOf(change))
      const actions: ValueAction[] = []
      if (toValueFilter(path, kind, preview)) {
        const act = async () => {
          const filter = toValueFilter(path, kind, await text())
          if (filter) goTo(addCondition(filter))
        }
        actions.push({ label: 'Filter runs by this value', icon: FilterIcon, act })
      }
      if (path.length > 1 && COLUMN_TOPS.has(String(path[0]))) {
        const column = jsonColumn(path)
        const act = () => goTo((kept) => ({ cols: withColumn(kept.cols, column) }))
        actions.push({ label: 'Pin as column', icon: Columns3, act })
      }
      return actions
    },
    [router, addressOf],
  )
}

function withColumn(cols: string | undefined, column: string): string {
  const shown = cols?.split(',') ?? DEFAULT_COLUMNS
  return [...shown.filter((id) => id !== column), column].join(',')
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { observedValuesQuery } from '#features/filter/queries.ts'
import type { Suggest } from '#features/filter/suggestions.tsx'
import { toRunConditions } from '#features/runs/queries.ts'
import { type MonitorSearch, parseGrouping, toFilters } from '#lib/page-search.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { useTheme } from '#ui/hooks.tsx'
import type { ChartContextValue } from './charts/chart-context.tsx'
import { useDashboard } from './dashboards/use-dashboard.ts'
import { collectDistinct, defaultCharts } from './logic/metrics.ts'
import { collectFeedbackKeys } from './monitor-controller.ts'
import { monitorQuery } from './queries.ts'

const MAX_FEEDBACK_CHARTS = 6
const NO_KEYS: readonly string[] = []

export type Monitor = ReturnType<typeof useMonitor>

/** The data of the monitor page, read from the URL and the query cache. */
export function useMonitor(tenant: string, projectId: string, search: MonitorSearch) {
  const navigate = useNavigate({ from: '/o/$tenant/projects/p/$projectId/monitor' })
  const queryClient = useQueryClient()
  const theme = useTheme()
  const { data: range } = useQuery(monitorQuery.range(projectId, search.t))
  const { filter, traceFilter, treeFilter } = search
  const filters = useMemo(() => toFilters({ filter, traceFilter, treeFilter }), [filter, traceFilter, treeFilter])
  const runs = useMemo(() => ({ projectId, scope: search.scope, filters }), [projectId, search.scope, filters])
  const group = useMemo(() => parseGrouping(search.group), [search.group])
  const keys = useQuery(monitorQuery.feedbackKeys(runs, range.bounds))
  const dashboard = useDashboard(search.board)
  const frequentKeys = useMemo(() => keys.data?.slice(0, MAX_FEEDBACK_CHARTS) ?? NO_KEYS, [keys.data])
  const builtIn = useMemo(() => defaultCharts(frequentKeys, search.scope), [frequentKeys, search.scope])
  const charts = search.board === undefined ? builtIn : dashboard.charts
  const feedbackKeys = useMemo(() => collectFeedbackKeys(charts), [charts])
  // The built-in charts include those of the most frequent feedback keys, which have to be known first.
  const isComplete = search.board !== undefined || !keys.isPending
  const ofPrevious = useMemo(
    () => (charts && isComplete ? { feedbackKeys, distinct: collectDistinct(charts) } : undefined),
    [charts, isComplete, feedbackKeys],
  )

  const change = useCallback(
    (part: Partial<MonitorSearch>, how: 'push' | 'replace' = 'push') =>
      void navigate({ search: (current) => ({ ...current, ...part }), replace: how === 'replace' }),
    [navigate],
  )
  const suggest = useCallback<Suggest>(
    (ask, filters) => observedValuesQuery(toRunConditions({ ...runs, filters }, range.bounds), ask),
    [runs, range.bounds],
  )
  const context = useMemo<ChartContextValue>(
    () => ({
      tenant,
      projectId,
      filters,
      window: range,
      group,
      isCompared: search.prev === '1',
      feedbackKeys,
      ofPrevious,
      theme,
      onZoom: (from, to) => change({ t: printTimeRange(new Date(from).toISOString(), new Date(to).toISOString()) }),
    }),
    [tenant, projectId, filters, range, group, search.prev, feedbackKeys, ofPrevious, theme, change],
  )
  /** Computes a relative range again, which loads all charts. A fixed range stays the same and its data is reloaded. */
  async function reload() {
    const { queryKey } = monitorQuery.range(projectId, search.t)
    await queryClient.refetchQueries({ queryKey })
    if (queryClient.getQueryData(queryKey)?.bounds !== range.bounds) return
    await queryClient.invalidateQueries({ queryKey: monitorQuery.inProject(projectId) })
  }
  return {
    range,
    runs,
    filters,
    dashboard,
    charts,
    /** All feedback keys of the runs, the most frequent first. */
    knownFeedbackKeys: keys.data ?? NO_KEYS,
    context,
    change,
    suggest,
    reload,
  }
}

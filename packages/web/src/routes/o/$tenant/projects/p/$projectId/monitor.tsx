import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { MonitorPage } from '#features/monitor/monitor-page.tsx'
import { monitorQuery } from '#features/monitor/queries.ts'
import { MonitorSearch, parseGrouping, toFilters } from '#lib/page-search.ts'

export const Route = createFileRoute('/o/$tenant/projects/p/$projectId/monitor')({
  validateSearch: MonitorSearch,
  search: { middlewares: [stripSearchParams({ scope: 'traces', t: '7d' } as const)] },
  loaderDeps: ({ search: { scope, t, filter, traceFilter, treeFilter, group, board } }) => ({
    scope,
    t,
    filter,
    traceFilter,
    treeFilter,
    group,
    board,
  }),
  // Prefetches the request that most built-in charts share. The charts of a dashboard are not known yet.
  loader: async ({ context: { queryClient }, params: { projectId }, deps: { scope, t, group, board, ...filters } }) => {
    if (board !== undefined) return
    const { bounds } = await queryClient.ensureQueryData(monitorQuery.range(projectId, t))
    const runs = { projectId, scope, filters: toFilters(filters) }
    void queryClient.prefetchQuery(monitorQuery.series(runs, bounds, { group: parseGrouping(group), feedbackKeys: [] }))
  },
  component: () => {
    const { tenant, projectId } = Route.useParams()
    return <MonitorPage key={projectId} tenant={tenant} projectId={projectId} search={Route.useSearch()} />
  },
})

import { createFileRoute, redirect, stripSearchParams } from '@tanstack/react-router'
import { RunsPage } from '#features/runs/list/runs-page.tsx'
import { toRunsView } from '#features/runs/list/views/runs-view.ts'
import { runsQuery } from '#features/runs/queries.ts'
import { RUNS_SEARCH_DEFAULTS, RunsSearch } from '#lib/page-search.ts'

export const Route = createFileRoute('/o/$tenant/projects/p/$projectId/')({
  validateSearch: RunsSearch,
  search: { middlewares: [stripSearchParams(RUNS_SEARCH_DEFAULTS)] },
  // A project may have a default view. Clearing it on the page itself does not bring it back.
  beforeLoad: async ({ context, params, location, cause }) => {
    if (cause === 'stay' || location.searchStr !== '') return
    const { readDefaultView } = await import('#features/runs/list/views/read-default-view.ts')
    const search = await readDefaultView(context.queryClient, params.projectId)
    if (search) throw redirect({ to: '/o/$tenant/projects/p/$projectId', params, search, replace: true })
  },
  loaderDeps: ({ search: { scope, t, filter, traceFilter, treeFilter, cols, sort } }) => ({
    scope,
    t,
    filter,
    traceFilter,
    treeFilter,
    cols,
    sort,
  }),
  // Starts here so that hovering a link preloads the list; the page shows loading and errors itself.
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchInfiniteQuery(runsQuery.list(toRunsView(params.projectId, deps)))
  },
  component: () => {
    const { tenant, projectId } = Route.useParams()
    return <RunsPage key={projectId} tenant={tenant} projectId={projectId} search={Route.useSearch()} />
  },
})

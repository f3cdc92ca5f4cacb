import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { ThreadsPage } from '#features/threads/list/threads-page.tsx'
import { threadQuery } from '#features/threads/queries.ts'
import { THREADS_SEARCH_DEFAULTS, ThreadsSearch, toThreadsRequest } from '#lib/page-search.ts'

export const Route = createFileRoute('/o/$tenant/projects/p/$projectId/threads/')({
  validateSearch: ThreadsSearch,
  search: { middlewares: [stripSearchParams(THREADS_SEARCH_DEFAULTS)] },
  loaderDeps: ({ search }) => search,
  // Started here so that hovering a link warms it; the page draws its own waiting and failing.
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchInfiniteQuery(threadQuery.list(toThreadsRequest(params.projectId, deps)))
  },
  component: () => {
    const { tenant, projectId } = Route.useParams()
    return <ThreadsPage key={projectId} tenant={tenant} projectId={projectId} search={Route.useSearch()} />
  },
})

import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { threadQuery } from '#data/threads.ts'
import { THREADS_SEARCH_DEFAULTS, ThreadsSearch, toThreadsRequest } from '#lib/page-search.ts'
import { ThreadsPage } from './-threads-page.tsx'

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

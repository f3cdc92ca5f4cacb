import { createFileRoute } from '@tanstack/react-router'
import { threadQuery } from '#features/threads/queries.ts'
import { ThreadPage } from '#features/threads/thread-page.tsx'
import { ThreadSearch } from '#lib/page-search.ts'

export const Route = createFileRoute('/o/$tenant/projects/p/$projectId/threads/$threadId')({
  validateSearch: ThreadSearch,
  loader: ({ context, params: { projectId, threadId } }) => {
    void context.queryClient.prefetchInfiniteQuery(threadQuery.turns(projectId, threadId))
  },
  component: () => {
    const params = Route.useParams()
    return <ThreadPage key={params.threadId} {...params} search={Route.useSearch()} />
  },
})

import { createFileRoute } from '@tanstack/react-router'
import { threadQuery } from '#data/threads.ts'
import { ThreadSearch } from '#lib/page-search.ts'
import { ThreadPage } from './-thread-page.tsx'

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

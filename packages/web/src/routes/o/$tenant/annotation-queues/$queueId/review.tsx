import { createFileRoute } from '@tanstack/react-router'
import { ReviewPage } from '#features/annotation-queues/review/review-page.tsx'
import { ReviewSearch } from '#features/annotation-queues/search.ts'

export const Route = createFileRoute('/o/$tenant/annotation-queues/$queueId/review')({
  validateSearch: ReviewSearch,
  component: () => {
    const { tenant, queueId } = Route.useParams()
    return <ReviewPage key={queueId} tenant={tenant} queueId={queueId} search={Route.useSearch()} />
  },
})

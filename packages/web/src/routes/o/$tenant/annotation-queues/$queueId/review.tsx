import { createFileRoute } from '@tanstack/react-router'
import { ReviewSearch } from '#lib/annotation-queues/search.ts'
import { ReviewPage } from './-review-page.tsx'

export const Route = createFileRoute('/o/$tenant/annotation-queues/$queueId/review')({
  validateSearch: ReviewSearch,
  component: () => {
    const { tenant, queueId } = Route.useParams()
    return <ReviewPage key={queueId} tenant={tenant} queueId={queueId} search={Route.useSearch()} />
  },
})

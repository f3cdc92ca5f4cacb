import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { QueuePage } from '#features/annotation-queues/queue-page.tsx'
import { QUEUE_SEARCH_DEFAULTS, QueueSearch } from '#features/annotation-queues/search.ts'

export const Route = createFileRoute('/o/$tenant/annotation-queues/$queueId/')({
  validateSearch: QueueSearch,
  search: { middlewares: [stripSearchParams(QUEUE_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant, queueId } = Route.useParams()
    return <QueuePage key={queueId} tenant={tenant} queueId={queueId} search={Route.useSearch()} />
  },
})

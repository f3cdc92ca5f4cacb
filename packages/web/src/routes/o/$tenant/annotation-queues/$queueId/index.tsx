import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { QUEUE_SEARCH_DEFAULTS, QueueSearch } from '#lib/annotation-queues/search.ts'
import { QueuePage } from './-queue-page.tsx'

export const Route = createFileRoute('/o/$tenant/annotation-queues/$queueId/')({
  validateSearch: QueueSearch,
  search: { middlewares: [stripSearchParams(QUEUE_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant, queueId } = Route.useParams()
    return <QueuePage key={queueId} tenant={tenant} queueId={queueId} search={Route.useSearch()} />
  },
})

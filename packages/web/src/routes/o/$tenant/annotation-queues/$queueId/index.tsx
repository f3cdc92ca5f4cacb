import { createFileRoute } from '@tanstack/react-router'
import { QueueSearch } from '#lib/annotation-queues/search.ts'
import { QueuePage } from './-queue-page.tsx'

export const Route = createFileRoute('/o/$tenant/annotation-queues/$queueId/')({
  validateSearch: QueueSearch,
  component: () => {
    const { tenant, queueId } = Route.useParams()
    return <QueuePage key={queueId} tenant={tenant} queueId={queueId} search={Route.useSearch()} />
  },
})

import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { QueuesPage } from '#features/annotation-queues/queues-page.tsx'
import { QUEUES_SEARCH_DEFAULTS, QueuesSearch } from '#features/annotation-queues/search.ts'

export const Route = createFileRoute('/o/$tenant/annotation-queues/')({
  validateSearch: QueuesSearch,
  search: { middlewares: [stripSearchParams(QUEUES_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant } = Route.useParams()
    return <QueuesPage tenant={tenant} search={Route.useSearch()} />
  },
})

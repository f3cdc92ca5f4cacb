import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { QUEUES_SEARCH_DEFAULTS, QueuesSearch } from '#lib/annotation-queues/search.ts'
import { QueuesPage } from './-queues-page.tsx'

export const Route = createFileRoute('/o/$tenant/annotation-queues/')({
  validateSearch: QueuesSearch,
  search: { middlewares: [stripSearchParams(QUEUES_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant } = Route.useParams()
    return <QueuesPage tenant={tenant} search={Route.useSearch()} />
  },
})

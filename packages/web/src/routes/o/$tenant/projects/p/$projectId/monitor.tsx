import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { MonitorSearch } from '#lib/monitor-search.ts'
import { MonitorPage } from './-monitor-page.tsx'

export const Route = createFileRoute('/o/$tenant/projects/p/$projectId/monitor')({
  validateSearch: MonitorSearch,
  search: { middlewares: [stripSearchParams({ scope: 'traces', t: '7d' } as const)] },
  component: () => {
    const { tenant, projectId } = Route.useParams()
    return <MonitorPage key={projectId} tenant={tenant} projectId={projectId} search={Route.useSearch()} />
  },
})

import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { AgentsPage } from '#features/projects/agents/agents-page.tsx'
import { oneOf, searchSchema, text, withDefault } from '#lib/search-schema.ts'

const DEFAULTS = { q: '', sort: 'last_run_start_time' } as const

/** Search params of the agents page. */
const AgentsSearch = searchSchema({
  q: withDefault(text(), DEFAULTS.q),
  sort: withDefault(oneOf(['last_run_start_time', 'name', 'created_at']), DEFAULTS.sort),
})

export const Route = createFileRoute('/o/$tenant/agents/')({
  validateSearch: AgentsSearch,
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  component: () => {
    const { tenant } = Route.useParams()
    return <AgentsPage tenant={tenant} search={Route.useSearch()} />
  },
})

import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { AgentsPage } from './-agents-page.tsx'

const DEFAULTS = { q: '', sort: 'last_run_start_time' } as const

/** What a link to the agents carries. */
const AgentsSearch = z.object({
  q: z.catch(z._default(z.string(), ''), ''),
  sort: z.catch(z._default(z.enum(['last_run_start_time', 'name', 'created_at']), DEFAULTS.sort), DEFAULTS.sort),
})

export const Route = createFileRoute('/o/$tenant/agents/')({
  validateSearch: AgentsSearch,
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  component: () => {
    const { tenant } = Route.useParams()
    return <AgentsPage tenant={tenant} search={Route.useSearch()} />
  },
})

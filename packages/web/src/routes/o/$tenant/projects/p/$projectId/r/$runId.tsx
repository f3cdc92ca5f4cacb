import { createFileRoute } from '@tanstack/react-router'
import { TracePage } from '#features/traces/page/trace-page.tsx'
import { traceQuery } from '#features/traces/queries.ts'
import { TraceSearch } from '#lib/page-search.ts'
import { flag, guid, optional, text } from '#lib/search-schema.ts'

/** Links that clients print carry `poll`, `trace_id` and `start_time`. */
const TracePageSearch = TraceSearch.extend({
  poll: flag(),
  trace_id: optional(guid()),
  start_time: optional(text()),
})

export const Route = createFileRoute('/o/$tenant/projects/p/$projectId/r/$runId')({
  validateSearch: TracePageSearch,
  loaderDeps: ({ search }) => ({ traceId: search.trace_id }),
  // Starts both requests without waiting. The page renders the first result.
  loader: ({ context: { queryClient }, params, deps }) => {
    void queryClient.prefetchQuery(traceQuery.run(params.runId))
    if (deps.traceId === undefined) void queryClient.prefetchQuery(traceQuery.location(params.runId))
    else void queryClient.prefetchQuery(traceQuery.tree(deps.traceId))
  },
  component: Page,
})

function Page() {
  return <TracePage {...Route.useParams()} search={Route.useSearch()} navigate={Route.useNavigate()} />
}

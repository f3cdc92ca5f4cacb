import { createFileRoute } from '@tanstack/react-router'
import { traceQuery } from '#features/traces/queries.ts'
import { TraceSearch } from '#lib/page-search.ts'
import { PublicRunPage } from './-public-run-page.tsx'

export const Route = createFileRoute('/public/$token/r/')({
  validateSearch: TraceSearch,
  loader: ({ context: { queryClient }, params }) => {
    void queryClient.prefetchQuery(traceQuery.tree('', params.token))
  },
  component: Page,
})

function Page() {
  return <PublicRunPage {...Route.useParams()} search={Route.useSearch()} />
}

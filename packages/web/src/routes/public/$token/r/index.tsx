import { createFileRoute } from '@tanstack/react-router'
import { PublicRunPage } from '#features/sharing/public/public-run-page.tsx'
import { traceQuery } from '#features/traces/queries.ts'
import { TraceSearch } from '#lib/page-search.ts'

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

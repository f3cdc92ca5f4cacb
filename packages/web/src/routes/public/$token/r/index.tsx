import { createFileRoute } from '@tanstack/react-router'
import { traceQuery } from '#data/traces.ts'
import { PublicRunPage } from './-public-run-page.tsx'
import { PublicRunSearch } from './-public-search.ts'

export const Route = createFileRoute('/public/$token/r/')({
  validateSearch: PublicRunSearch,
  loader: ({ context: { queryClient }, params }) => {
    void queryClient.prefetchQuery(traceQuery.spine('', params.token))
  },
  component: Page,
})

function Page() {
  return <PublicRunPage {...Route.useParams()} search={Route.useSearch()} />
}

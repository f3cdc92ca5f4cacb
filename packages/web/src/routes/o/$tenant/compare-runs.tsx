import { createFileRoute } from '@tanstack/react-router'
import { CompareRunsPage } from '#features/traces/compare/compare-runs-page.tsx'
import { guid, oneOf, optional, type SearchOf, searchSchema } from '#lib/search-schema.ts'

const CompareRunsSearch = searchSchema({
  a: optional(guid()),
  b: optional(guid()),
  /** The selected step: a run of either side. */
  run: optional(guid()),
  tab: optional(oneOf(['chat', 'json', 'text'])),
  only: optional(oneOf(['1'])),
})

export type CompareRunsSearch = SearchOf<typeof CompareRunsSearch>

export const Route = createFileRoute('/o/$tenant/compare-runs')({
  validateSearch: CompareRunsSearch,
  component: Page,
})

function Page() {
  return <CompareRunsPage {...Route.useParams()} search={Route.useSearch()} navigate={Route.useNavigate()} />
}

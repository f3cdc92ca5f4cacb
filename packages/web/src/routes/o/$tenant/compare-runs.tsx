import { createFileRoute } from '@tanstack/react-router'
import { CompareRunsPage } from '#features/traces/compare/compare-runs-page.tsx'
import { CompareRunsSearch } from '#features/traces/compare/search.ts'

export const Route = createFileRoute('/o/$tenant/compare-runs')({
  validateSearch: CompareRunsSearch,
  component: Page,
})

function Page() {
  return <CompareRunsPage {...Route.useParams()} search={Route.useSearch()} navigate={Route.useNavigate()} />
}

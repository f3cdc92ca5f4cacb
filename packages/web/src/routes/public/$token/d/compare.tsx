import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { COMPARE_SEARCH_DEFAULTS, CompareSearch } from '#lib/experiments/search.ts'
import { PublicComparePage } from './-public-compare-page.tsx'

export const Route = createFileRoute('/public/$token/d/compare')({
  validateSearch: CompareSearch,
  search: { middlewares: [stripSearchParams(COMPARE_SEARCH_DEFAULTS)] },
  component: () => {
    const { token } = Route.useParams()
    return <PublicComparePage key={token} token={token} search={Route.useSearch()} />
  },
})

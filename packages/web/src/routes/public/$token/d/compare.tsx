import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { COMPARE_SEARCH_DEFAULTS, CompareSearch } from '#features/experiments/search.ts'
import { PublicComparePage } from '#features/sharing/public/public-compare-page.tsx'
import { lazyPart } from '#ui/lazy.tsx'

const PublicPairPage = lazyPart(() =>
  import('#features/sharing/public/public-pairwise.tsx').then((module) => module.PublicPairPage),
)

export const Route = createFileRoute('/public/$token/d/compare')({
  validateSearch: CompareSearch,
  search: { middlewares: [stripSearchParams(COMPARE_SEARCH_DEFAULTS)] },
  component: () => {
    const { token } = Route.useParams()
    const search = Route.useSearch()
    const comparisonId = search.comparativeExperiment
    if (comparisonId === undefined) return <PublicComparePage key={token} token={token} search={search} />
    return (
      <Suspense>
        <PublicPairPage key={comparisonId} token={token} comparisonId={comparisonId} search={search} />
      </Suspense>
    )
  },
})

import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { COMPARE_SEARCH_DEFAULTS, CompareSearch } from '#lib/experiments/search.ts'
import { lazyPart } from '#ui/lazy.tsx'
import { ComparePage } from './-compare-page.tsx'

const PairPage = lazyPart(() => import('./-pair-page.tsx').then((module) => module.PairPage))

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/compare')({
  validateSearch: CompareSearch,
  search: { middlewares: [stripSearchParams(COMPARE_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant, datasetId } = Route.useParams()
    const search = Route.useSearch()
    const props = { tenant, datasetId, search }
    const comparisonId = search.comparativeExperiment
    if (comparisonId === undefined) return <ComparePage key={datasetId} {...props} />
    return (
      <Suspense>
        <PairPage key={comparisonId} {...props} comparisonId={comparisonId} />
      </Suspense>
    )
  },
})

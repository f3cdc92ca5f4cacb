import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { ComparePage } from '#features/comparison/compare-page.tsx'
import { parseSelected } from '#features/comparison/logic/compare-state.ts'
import { comparisonQuery } from '#features/comparison/queries.ts'
import { COMPARE_SEARCH_DEFAULTS, CompareSearch } from '#features/experiments/search.ts'
import { lazyPart } from '#ui/lazy.tsx'

const PairPage = lazyPart(() => import('#features/comparison/pairwise/pair-page.tsx').then((module) => module.PairPage))

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/compare')({
  validateSearch: CompareSearch,
  search: { middlewares: [stripSearchParams(COMPARE_SEARCH_DEFAULTS)] },
  loaderDeps: ({ search }) => ({
    selectedSessions: search.selectedSessions,
    comparativeExperimentId: search.comparativeExperiment,
  }),
  // Started here so that approaching a button that compares warms it; the page draws its own waiting and failing.
  loader: ({
    context: { queryClient },
    params: { datasetId },
    deps: { selectedSessions, comparativeExperimentId },
  }) => {
    const { ids: experimentIds } = parseSelected({ selectedSessions })
    if (experimentIds.length === 0) return
    const view = { datasetId, experimentIds, comparativeExperimentId }
    void queryClient.prefetchQuery(comparisonQuery.cells(view))
    void queryClient.prefetchQuery(comparisonQuery.experiments(view))
  },
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

import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { COMPARE_SEARCH_DEFAULTS, CompareSearch } from '#lib/experiments/search.ts'
import { ComparePage } from './-compare-page.tsx'

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/compare')({
  validateSearch: CompareSearch,
  search: { middlewares: [stripSearchParams(COMPARE_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant, datasetId } = Route.useParams()
    return <ComparePage key={datasetId} tenant={tenant} datasetId={datasetId} search={Route.useSearch()} />
  },
})

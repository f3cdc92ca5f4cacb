import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { EXPERIMENTS_SEARCH_DEFAULTS, ExperimentsSearch } from '#lib/experiments/search.ts'
import { ExperimentsPage } from './-experiments-page.tsx'

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/experiments')({
  validateSearch: ExperimentsSearch,
  search: { middlewares: [stripSearchParams(EXPERIMENTS_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant, datasetId } = Route.useParams()
    return <ExperimentsPage key={datasetId} tenant={tenant} datasetId={datasetId} search={Route.useSearch()} />
  },
})

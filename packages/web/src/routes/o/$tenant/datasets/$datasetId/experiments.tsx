import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { ExperimentsPage } from '#features/experiments/list/experiments-page.tsx'
import { experimentQuery } from '#features/experiments/queries.ts'
import { EXPERIMENTS_SEARCH_DEFAULTS, ExperimentsSearch } from '#features/experiments/search.ts'

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/experiments')({
  validateSearch: ExperimentsSearch,
  search: { middlewares: [stripSearchParams(EXPERIMENTS_SEARCH_DEFAULTS)] },
  loaderDeps: ({ search }) => ({ filter: search.filter }),
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchInfiniteQuery(experimentQuery.list(params.datasetId, deps.filter))
  },
  component: () => {
    const { tenant, datasetId } = Route.useParams()
    return <ExperimentsPage key={datasetId} tenant={tenant} datasetId={datasetId} search={Route.useSearch()} />
  },
})

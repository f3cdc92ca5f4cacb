import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { experimentQuery } from '#data/experiments.ts'
import { EXPERIMENTS_SEARCH_DEFAULTS, ExperimentsSearch } from '#lib/experiments/search.ts'
import { ExperimentsPage } from './-experiments-page.tsx'

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

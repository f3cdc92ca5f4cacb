import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { DatasetsPage } from '#features/datasets/list/datasets-page.tsx'
import { DATASETS_SEARCH_DEFAULTS, DatasetsSearch } from '#features/datasets/search.ts'

export const Route = createFileRoute('/o/$tenant/datasets/')({
  validateSearch: DatasetsSearch,
  search: { middlewares: [stripSearchParams(DATASETS_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant } = Route.useParams()
    return <DatasetsPage tenant={tenant} search={Route.useSearch()} />
  },
})

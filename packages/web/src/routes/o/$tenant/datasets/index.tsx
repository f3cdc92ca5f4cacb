import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { DATASETS_SEARCH_DEFAULTS, DatasetsSearch } from '#lib/datasets/search.ts'
import { DatasetsPage } from './-datasets-page.tsx'

export const Route = createFileRoute('/o/$tenant/datasets/')({
  validateSearch: DatasetsSearch,
  search: { middlewares: [stripSearchParams(DATASETS_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant } = Route.useParams()
    return <DatasetsPage tenant={tenant} search={Route.useSearch()} />
  },
})

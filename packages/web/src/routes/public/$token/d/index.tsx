import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { PUBLIC_DATASET_SEARCH_DEFAULTS, PublicDatasetSearch } from '#features/datasets/search.ts'
import { PublicDatasetPage } from '#features/sharing/public/public-dataset-page.tsx'

export const Route = createFileRoute('/public/$token/d/')({
  validateSearch: PublicDatasetSearch,
  search: { middlewares: [stripSearchParams(PUBLIC_DATASET_SEARCH_DEFAULTS)] },
  component: () => {
    const { token } = Route.useParams()
    return <PublicDatasetPage key={token} token={token} search={Route.useSearch()} />
  },
})

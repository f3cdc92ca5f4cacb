import { createFileRoute } from '@tanstack/react-router'
import { ExamplesPage } from '#features/datasets/page/examples-page.tsx'
import { ExamplesSearch } from '#features/datasets/search.ts'

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/')({
  validateSearch: ExamplesSearch,
  component: () => {
    const { tenant, datasetId } = Route.useParams()
    return <ExamplesPage key={datasetId} tenant={tenant} datasetId={datasetId} search={Route.useSearch()} />
  },
})

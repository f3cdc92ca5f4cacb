import { createFileRoute } from '@tanstack/react-router'
import { ExamplesSearch } from '#lib/datasets/search.ts'
import { ExamplesPage } from './-examples-page.tsx'

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/')({
  validateSearch: ExamplesSearch,
  component: () => {
    const { tenant, datasetId } = Route.useParams()
    return <ExamplesPage key={datasetId} tenant={tenant} datasetId={datasetId} search={Route.useSearch()} />
  },
})

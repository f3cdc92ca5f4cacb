import { createFileRoute } from '@tanstack/react-router'
import { ExamplePage } from '#features/datasets/page/example-page.tsx'
import { ExampleSearch } from '#features/datasets/search.ts'

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/e/$exampleId')({
  validateSearch: ExampleSearch,
  component: () => {
    const { tenant, datasetId, exampleId } = Route.useParams()
    const { as_of } = Route.useSearch()
    return <ExamplePage key={exampleId} tenant={tenant} datasetId={datasetId} exampleId={exampleId} asOf={as_of} />
  },
})

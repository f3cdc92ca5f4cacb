import { createFileRoute } from '@tanstack/react-router'
import { VersionsSearch } from '#features/datasets/search.ts'
import { VersionsPage } from '#features/datasets/versions/versions-page.tsx'

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/versions')({
  validateSearch: VersionsSearch,
  component: () => {
    const { tenant, datasetId } = Route.useParams()
    return <VersionsPage key={datasetId} tenant={tenant} datasetId={datasetId} search={Route.useSearch()} />
  },
})

import { createFileRoute } from '@tanstack/react-router'
import { VersionsSearch } from '#lib/datasets/search.ts'
import { VersionsPage } from './-versions-page.tsx'

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/versions')({
  validateSearch: VersionsSearch,
  component: () => {
    const { tenant, datasetId } = Route.useParams()
    return <VersionsPage key={datasetId} tenant={tenant} datasetId={datasetId} search={Route.useSearch()} />
  },
})

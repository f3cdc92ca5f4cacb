import { createFileRoute } from '@tanstack/react-router'
import { DatasetSettingsPage } from '#features/datasets/page/dataset-settings-page.tsx'

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/settings')({
  component: () => {
    const { tenant, datasetId } = Route.useParams()
    return <DatasetSettingsPage key={datasetId} tenant={tenant} datasetId={datasetId} />
  },
})

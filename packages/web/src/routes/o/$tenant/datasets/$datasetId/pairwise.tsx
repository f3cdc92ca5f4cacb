import { createFileRoute } from '@tanstack/react-router'
import { PairwisePage } from '#features/comparison/pairwise/pairwise-page.tsx'

export const Route = createFileRoute('/o/$tenant/datasets/$datasetId/pairwise')({
  component: () => {
    const { tenant, datasetId } = Route.useParams()
    return <PairwisePage key={datasetId} tenant={tenant} datasetId={datasetId} />
  },
})

import { createFileRoute } from '@tanstack/react-router'
import { PublicDatasetPage } from './-public-dataset-page.tsx'

export const Route = createFileRoute('/public/$token/d/')({
  component: () => {
    const { token } = Route.useParams()
    return <PublicDatasetPage key={token} token={token} />
  },
})

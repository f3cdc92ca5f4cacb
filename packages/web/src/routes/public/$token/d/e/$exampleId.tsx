import { createFileRoute } from '@tanstack/react-router'
import { PublicExamplePage } from '#features/sharing/public/public-example-page.tsx'

export const Route = createFileRoute('/public/$token/d/e/$exampleId')({
  component: () => {
    const { token, exampleId } = Route.useParams()
    return <PublicExamplePage key={exampleId} token={token} exampleId={exampleId} />
  },
})

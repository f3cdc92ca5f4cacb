import { createFileRoute } from '@tanstack/react-router'
import { HomePage } from './-home-page.tsx'

export const Route = createFileRoute('/o/$tenant/')({
  component: () => <HomePage tenant={Route.useParams().tenant} />,
})

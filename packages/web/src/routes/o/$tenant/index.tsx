import { createFileRoute } from '@tanstack/react-router'
import { HomePage } from '#features/home/home-page.tsx'
import { HomeSearch } from '#lib/page-search.ts'

export const Route = createFileRoute('/o/$tenant/')({
  validateSearch: HomeSearch,
  component: () => <HomePage tenant={Route.useParams().tenant} />,
})

import { createFileRoute } from '@tanstack/react-router'
import { HomeSearch } from '#lib/page-search.ts'
import { HomePage } from './-home-page.tsx'

export const Route = createFileRoute('/o/$tenant/')({
  validateSearch: HomeSearch,
  component: () => <HomePage tenant={Route.useParams().tenant} />,
})

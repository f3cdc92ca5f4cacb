import { createFileRoute } from '@tanstack/react-router'
import { RulesPage } from '#features/rules/rules-page.tsx'

export const Route = createFileRoute('/o/$tenant/rules/')({
  component: () => <RulesPage tenant={Route.useParams().tenant} />,
})

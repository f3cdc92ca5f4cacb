import { createFileRoute } from '@tanstack/react-router'
import { EvaluatorsPage } from '#features/evaluators/evaluators-page.tsx'

export const Route = createFileRoute('/o/$tenant/evaluators/')({
  component: () => <EvaluatorsPage tenant={Route.useParams().tenant} />,
})

import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { EvaluatorPage } from '#features/evaluators/evaluator-page.tsx'
import { EvaluatorSearch } from '#features/evaluators/search.ts'

export const Route = createFileRoute('/o/$tenant/evaluators/$evaluatorId/')({
  validateSearch: EvaluatorSearch,
  search: { middlewares: [stripSearchParams({ tab: 'definition' })] },
  component: () => {
    const { tenant, evaluatorId } = Route.useParams()
    return <EvaluatorPage key={evaluatorId} tenant={tenant} id={evaluatorId} tab={Route.useSearch().tab} />
  },
})

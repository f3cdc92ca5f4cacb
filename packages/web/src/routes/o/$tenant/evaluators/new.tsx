import { createFileRoute } from '@tanstack/react-router'
import { NewEvaluatorPage } from '#features/evaluators/new-evaluator-page.tsx'
import { oneOf, searchSchema, withDefault } from '#lib/search-schema.ts'

const NewEvaluatorSearch = searchSchema({ kind: withDefault(oneOf(['llm_judge', 'javascript']), 'llm_judge') })

export const Route = createFileRoute('/o/$tenant/evaluators/new')({
  validateSearch: NewEvaluatorSearch,
  component: () => {
    const { kind } = Route.useSearch()
    return <NewEvaluatorPage key={kind} tenant={Route.useParams().tenant} kind={kind} />
  },
})

import { createFileRoute } from '@tanstack/react-router'
import { oneOf, searchSchema, withDefault } from '#lib/search-schema.ts'
import { NewEvaluatorPage } from './-new-evaluator-page.tsx'

const NewEvaluatorSearch = searchSchema({ kind: withDefault(oneOf(['llm_judge', 'javascript']), 'llm_judge') })

export const Route = createFileRoute('/o/$tenant/evaluators/new')({
  validateSearch: NewEvaluatorSearch,
  component: () => {
    const { kind } = Route.useSearch()
    return <NewEvaluatorPage key={kind} tenant={Route.useParams().tenant} kind={kind} />
  },
})

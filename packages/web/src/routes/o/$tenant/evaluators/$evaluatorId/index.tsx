import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { EvaluatorPage } from '#features/evaluators/evaluator-page.tsx'
import { oneOf, type SearchOf, searchSchema, withDefault } from '#lib/search-schema.ts'

const EvaluatorSearch = searchSchema({ tab: withDefault(oneOf(['definition', 'agreement', 'versions']), 'definition') })
export type EvaluatorTab = SearchOf<typeof EvaluatorSearch>['tab']

export const Route = createFileRoute('/o/$tenant/evaluators/$evaluatorId/')({
  validateSearch: EvaluatorSearch,
  search: { middlewares: [stripSearchParams({ tab: 'definition' })] },
  component: () => {
    const { tenant, evaluatorId } = Route.useParams()
    return <EvaluatorPage key={evaluatorId} tenant={tenant} id={evaluatorId} tab={Route.useSearch().tab} />
  },
})

import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { RulePage } from '#features/rules/rule-page.tsx'
import { RuleSearch } from '#features/rules/search.ts'

export const Route = createFileRoute('/o/$tenant/rules/$ruleId/')({
  validateSearch: RuleSearch,
  search: { middlewares: [stripSearchParams({ tab: 'overview' })] },
  component: () => {
    const { tenant, ruleId } = Route.useParams()
    return <RulePage key={ruleId} tenant={tenant} id={ruleId} search={Route.useSearch()} />
  },
})

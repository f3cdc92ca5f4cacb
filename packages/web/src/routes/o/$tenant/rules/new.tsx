import { createFileRoute } from '@tanstack/react-router'
import { NewRulePage } from '#features/rules/new-rule-page.tsx'
import { NewRuleSearch } from '#features/rules/search.ts'

export const Route = createFileRoute('/o/$tenant/rules/new')({
  validateSearch: NewRuleSearch,
  component: () => {
    const search = Route.useSearch()
    return <NewRulePage key={JSON.stringify(search)} tenant={Route.useParams().tenant} search={search} />
  },
})

import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { PromptsPage } from '#features/prompts/list/prompts-page.tsx'
import { PROMPTS_SEARCH_DEFAULTS, PromptsSearch } from '#features/prompts/search.ts'

export const Route = createFileRoute('/o/$tenant/prompts/')({
  validateSearch: PromptsSearch,
  search: { middlewares: [stripSearchParams(PROMPTS_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant } = Route.useParams()
    return <PromptsPage tenant={tenant} search={Route.useSearch()} />
  },
})

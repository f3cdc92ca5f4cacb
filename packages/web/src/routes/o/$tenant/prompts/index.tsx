import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { PROMPTS_SEARCH_DEFAULTS, PromptsSearch } from '#lib/prompts/search.ts'
import { PromptsPage } from './-prompts-page.tsx'

export const Route = createFileRoute('/o/$tenant/prompts/')({
  validateSearch: PromptsSearch,
  search: { middlewares: [stripSearchParams(PROMPTS_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant } = Route.useParams()
    return <PromptsPage tenant={tenant} search={Route.useSearch()} />
  },
})

import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { PromptPage } from '#features/prompts/page/prompt-page.tsx'
import { PROMPT_SEARCH_DEFAULTS, PromptSearch } from '#features/prompts/search.ts'

/** `owner` is `-` for the prompts of the workspace; `commit` is a tag, `latest` or any unique beginning of a hash. */
export const Route = createFileRoute('/o/$tenant/prompts/$owner/$repo/{-$commit}')({
  validateSearch: PromptSearch,
  search: { middlewares: [stripSearchParams(PROMPT_SEARCH_DEFAULTS)] },
  component: () => {
    const { tenant, owner, repo, commit } = Route.useParams()
    return (
      <PromptPage
        key={`${owner}/${repo}`}
        tenant={tenant}
        prompt={{ owner, repo }}
        reference={commit ?? 'latest'}
        search={Route.useSearch()}
      />
    )
  },
})

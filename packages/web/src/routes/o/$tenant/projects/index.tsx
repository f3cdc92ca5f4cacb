import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { ProjectsPage } from '#features/projects/list/projects-page.tsx'
import { projectQuery } from '#features/projects/queries.ts'
import { PROJECTS_SEARCH_DEFAULTS, ProjectsSearch } from '#lib/page-search.ts'

export const Route = createFileRoute('/o/$tenant/projects/')({
  validateSearch: ProjectsSearch,
  search: { middlewares: [stripSearchParams(PROJECTS_SEARCH_DEFAULTS)] },
  loaderDeps: ({ search }) => ({ experiments: search.experiments }),
  loader: ({ context, deps }) => {
    void context.queryClient.prefetchInfiniteQuery(projectQuery.names(deps))
  },
  component: () => {
    const { tenant } = Route.useParams()
    return <ProjectsPage tenant={tenant} search={Route.useSearch()} />
  },
})

import type { QueryClient } from '@tanstack/react-query'
import { knownProject, projectQuery } from '#data/projects.ts'
import { savedViewsQuery } from '#data/saved-views.ts'
import { defaultViewOf } from '#lib/projects/project-extra.ts'
import type { RunsSearch } from '#lib/url/runs-search.ts'
import { searchOfState } from '#lib/url/view-state.ts'

/**
 * What the list of a project opens with when its address says nothing; `undefined` for the newest traces, and when it
 * cannot be read: the page itself says what is wrong.
 */
export async function readDefaultView(
  queryClient: QueryClient,
  projectId: string,
): Promise<Partial<RunsSearch> | undefined> {
  try {
    const project =
      knownProject(queryClient, projectId) ?? (await queryClient.ensureQueryData(projectQuery.one(projectId)))
    const id = defaultViewOf(project)
    if (id === undefined) return undefined
    const views = await queryClient.ensureQueryData(savedViewsQuery(projectId))
    const view = views.find((one) => one.id === id)
    return view && { ...searchOfState(view.state), view: id }
  } catch {
    return undefined
  }
}

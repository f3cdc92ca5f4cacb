import type { QueryClient } from '@tanstack/react-query'
import { findCachedProject, projectQuery } from '#data/projects.ts'
import { savedViewQuery } from '#data/saved-views.ts'
import { type RunsSearch, toRunsSearch } from '#lib/page-search.ts'
import { getDefaultViewId } from '#lib/projects.ts'

/**
 * The saved view that a project opens with when its URL has no search parameters. Returns undefined for the latest
 * traces, and when the view cannot be loaded, because the page itself shows that error.
 */
export async function readDefaultView(
  queryClient: QueryClient,
  projectId: string,
): Promise<Partial<RunsSearch> | undefined> {
  try {
    const project =
      findCachedProject(queryClient, projectId) ?? (await queryClient.ensureQueryData(projectQuery.one(projectId)))
    const id = getDefaultViewId(project)
    if (id === undefined) return undefined
    const views = await queryClient.ensureQueryData(savedViewQuery.list(projectId))
    const view = views.find((one) => one.id === id)
    return view && { ...toRunsSearch(view.state), view: id }
  } catch {
    return undefined
  }
}

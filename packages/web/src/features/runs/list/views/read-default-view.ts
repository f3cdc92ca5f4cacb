import type { QueryClient } from '@tanstack/react-query'
import { getDefaultViewId } from '#features/projects/projects.ts'
import { findCachedProject, projectQuery } from '#features/projects/queries.ts'
import { RUNS_SEARCH_DEFAULTS, type RunsSearch, toRunsSearch } from '#lib/page-search.ts'
import { runsQuery } from '../../queries.ts'
import { savedViewQuery } from '../../saved-view-queries.ts'
import { toRunsView } from './runs-view.ts'

/**
 * The saved view that a project opens with when its URL has no search parameters. Returns undefined for the latest
 * traces, and when the view cannot be loaded, because the page itself shows that error.
 */
export async function readDefaultView(
  queryClient: QueryClient,
  projectId: string,
): Promise<Partial<RunsSearch> | undefined> {
  try {
    let project = findCachedProject(queryClient, projectId)
    if (project === undefined) {
      // Few projects have a default view, so the list does not wait for the answer.
      void queryClient.prefetchInfiniteQuery(runsQuery.list(toRunsView(projectId, RUNS_SEARCH_DEFAULTS)))
      project = await queryClient.ensureQueryData(projectQuery.one(projectId))
    }
    const id = getDefaultViewId(project)
    if (id === undefined) return undefined
    const views = await queryClient.ensureQueryData(savedViewQuery.list(projectId))
    const view = views.find((one) => one.id === id)
    return view && { ...toRunsSearch(view.state), view: id }
  } catch {
    return undefined
  }
}

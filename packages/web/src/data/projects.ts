import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { client } from './client.ts'

const PAGE = 100

export const projectQuery = {
  /** Names of all projects, newest first, a page at a time and without figures, so that rows paint first. */
  names: (options: { experiments?: boolean | undefined } = {}) =>
    infiniteQueryOptions({
      queryKey: ['projects', 'names', options],
      queryFn: ({ pageParam: offset, signal }) =>
        client.queryProjects(
          { offset, limit: PAGE, ...(options.experiments ? {} : { reference_free: true }) },
          { signal },
        ),
      initialPageParam: 0,
      getNextPageParam: (page, _pages, offset) => (page.length < PAGE ? undefined : offset + PAGE),
    }),
  /**
   * Figures of some projects.
   *
   * @param ids    at most 100
   * @param since  runs that started at or after this count; all of them when absent
   */
  stats: (ids: readonly string[], since: string | undefined, window: string) =>
    queryOptions({
      queryKey: ['projects', 'stats', window, ids],
      queryFn: async ({ signal }) => {
        const projects = await client.queryProjects(
          {
            id: [...ids],
            limit: PAGE,
            include_stats: true,
            ...(since === undefined ? {} : { stats_start_time: since }),
          },
          { signal },
        )
        return new Map(projects.map((project) => [project.id, project]))
      },
      staleTime: 30_000,
    }),
  one: (projectId: string) =>
    queryOptions({
      queryKey: ['projects', 'one', projectId],
      queryFn: ({ signal }) => client.readProject({ projectId }, { signal }),
      staleTime: 60_000,
    }),
}

/** A project as far as any list has already loaded it, to name it at once. */
export function knownProject(queryClient: QueryClient, projectId: string): Project | undefined {
  for (const [, pages] of queryClient.getQueriesData<{ pages: Project[][] }>({ queryKey: ['projects', 'names'] })) {
    const found = pages?.pages.flat().find((project) => project.id === projectId)
    if (found) return found
  }
  return undefined
}

export const projectMutation = {
  create: () => ({ mutationFn: (name: string) => client.createProject({ projectName: name }) }),
  rename: () => ({ mutationFn: ({ id, name }: { id: string; name: string }) => client.updateProject(id, { name }) }),
  delete: () => ({ mutationFn: (id: string) => client.deleteProject({ projectId: id }) }),
}

/** Makes every list and figure of projects stale. */
export function refreshProjects(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['projects'] })
}

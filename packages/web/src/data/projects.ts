import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { TracerSessionResult as Project, UpdateProjectParams } from '@touchstone/sdk'
import { client } from './client.ts'

const PAGE = 100
const STATS_AT_ONCE = 3

export const projectQuery = {
  /**
   * Names of all projects, newest first and without figures, so that rows paint first. The first page is one request;
   * the second is all the rest, because a list that grew by every hundred would draw itself twenty times over.
   */
  names: (options: { experiments?: boolean | undefined } = {}) =>
    infiniteQueryOptions({
      queryKey: ['projects', 'names', options],
      queryFn: ({ pageParam: offset, signal }) =>
        readNames(options.experiments ? {} : { reference_free: true }, offset, signal),
      initialPageParam: 0,
      getNextPageParam: (page, pages) => (pages.length === 1 && page.length === PAGE ? PAGE : undefined),
    }),
  /**
   * Figures of some projects, by id.
   *
   * @param since   runs that started at or after this count; all of them when absent
   * @param window  what `since` was counted from; tells one set of figures from another
   */
  stats: (ids: readonly string[], since: string | undefined, window: string) =>
    queryOptions({
      queryKey: ['projects', 'stats', window, ids],
      queryFn: async ({ signal }) => {
        const found: Project[] = []
        for (const group of chunksOf(chunksOf(ids, PAGE), STATS_AT_ONCE)) {
          found.push(...(await Promise.all(group.map((chunk) => readStats(chunk, since, signal)))).flat())
        }
        return new Map(found.map((project) => [project.id, project]))
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

async function readNames(where: { reference_free?: boolean }, offset: number, signal: AbortSignal): Promise<Project[]> {
  const names: Project[] = []
  do {
    const page = await client.queryProjects({ ...where, offset: offset + names.length, limit: PAGE }, { signal })
    names.push(...page)
    if (page.length < PAGE) break
  } while (offset > 0)
  return names
}

function readStats(ids: readonly string[], since: string | undefined, signal: AbortSignal): Promise<Project[]> {
  const window = since === undefined ? {} : { stats_start_time: since }
  return client.queryProjects({ id: [...ids], limit: PAGE, include_stats: true, ...window }, { signal })
}

function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
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
  update: () => ({
    mutationFn: ({ id, change }: { id: string; change: UpdateProjectParams }) => client.updateProject(id, change),
  }),
  /** One after the other; one that fails does not keep the others. @returns those that failed */
  deleteMany: () => ({
    mutationFn: async (ids: readonly string[]) => {
      const failed: { id: string; cause: unknown }[] = []
      for (const id of ids) {
        await client.deleteProject({ projectId: id }).catch((cause: unknown) => failed.push({ id, cause }))
      }
      return failed
    },
  }),
  delete: () => ({ mutationFn: (id: string) => client.deleteProject({ projectId: id }) }),
}

/** Few enough projects that perhaps nobody has sent a trace yet; with more of them, someone has been here before. */
export function isYoung(names: { pages: readonly Project[][] } | undefined): boolean {
  return names !== undefined && names.pages.flat().length <= 5
}

/** Makes every list and figure of projects stale. */
export function refreshProjects(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['projects'] })
}

import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { TracerSessionResult as Project, UpdateProjectParams } from '@touchstone/sdk'
import { client } from '#lib/api/client.ts'
import { queryKeys } from '#lib/api/query-client.ts'
import { isOvertaken } from '#lib/errors.ts'
import { getUiSettingsMember } from './projects.ts'

const PAGE = 100
const STATS_AT_ONCE = 3

export const projectQuery = {
  all: queryKeys.projects,
  allNames: () => [...projectQuery.all(), 'names'] as const,
  /**
   * Names of all projects, newest first, without statistics so that rows paint early. The first page is one request. The
   * second page has all the rest, because appending a hundred at a time would render the list twenty times.
   */
  names: (options: { experiments?: boolean | undefined } = {}) =>
    infiniteQueryOptions({
      queryKey: [...projectQuery.allNames(), options],
      queryFn: ({ pageParam: offset, signal }) =>
        readNames(options.experiments ? {} : { reference_free: true }, offset, signal),
      initialPageParam: 0,
      getNextPageParam: (page, pages) => (pages.length === 1 && page.length === PAGE ? PAGE : undefined),
    }),
  /**
   * Statistics of some projects, by id.
   *
   * @param since  only runs that started at or after this time count; absent: all runs
   * @param range  the time range that `since` was computed from; part of the cache key, because `since` changes all the time
   */
  stats: (ids: readonly string[], since: string | undefined, range: string) =>
    queryOptions({
      queryKey: [...projectQuery.all(), 'stats', range, ids],
      queryFn: async ({ signal }) => {
        const found: Project[] = []
        for (const group of toChunks(toChunks(ids, PAGE), STATS_AT_ONCE)) {
          found.push(...(await Promise.all(group.map((chunk) => readStats(chunk, since, signal)))).flat())
        }
        return new Map(found.map((project) => [project.id, project]))
      },
      staleTime: 30_000,
    }),
  one: (projectId: string) =>
    queryOptions({
      queryKey: [...projectQuery.all(), 'one', projectId],
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
  return client.queryProjects({ id: [...ids], limit: PAGE, include_stats: true, stats_start_time: since }, { signal })
}

function toChunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

/** A project from any loaded list of names, to show its name without a request. */
export function findCachedProject(queryClient: QueryClient, projectId: string): Project | undefined {
  for (const [, pages] of queryClient.getQueriesData<{ pages: Project[][] }>({ queryKey: projectQuery.allNames() })) {
    const found = pages?.pages.flat().find((project) => project.id === projectId)
    if (found) return found
  }
  return undefined
}

const MOST_REPEATS = 3

interface SettingChange {
  /** The project as it was read. */
  project: Project
  /** @returns the change of `extra` */
  toExtra: (project: Project) => Record<string, unknown>
  read: (project: Project) => string | undefined
}

export const readProjectName = async (id: string): Promise<string> =>
  (await client.readProject({ projectId: id })).name ?? ''

export const projectMutation = {
  create: () => ({ mutationFn: (name: string) => client.createProject({ projectName: name }) }),
  rename: () => ({
    mutationFn: ({ id, name, expected }: { id: string; name: string; expected: string }) =>
      client.updateProject(id, { name, expected: { name: expected } }),
  }),
  update: () => ({
    mutationFn: ({ id, change }: { id: string; change: UpdateProjectParams }) => client.updateProject(id, change),
  }),
  /**
   * Changes one setting of this UI. All of them are one member of `extra`, so the change is repeated on top of other
   * settings that were saved meanwhile. It fails when `read` finds another value of the setting itself.
   */
  changeSetting: () => ({
    mutationFn: async ({ project, toExtra, read }: SettingChange) => {
      let base = project
      for (let left = MOST_REPEATS; ; left -= 1) {
        try {
          return await client.updateProject(base.id, {
            projectExtra: toExtra(base),
            expected: { extra: getUiSettingsMember(base) },
          })
        } catch (error) {
          if (left === 0 || !isOvertaken(error)) throw error
          const now = await client.readProject({ projectId: base.id })
          if (read(now) !== read(base)) throw error
          base = now
        }
      }
    },
  }),
  /** Deletes one after the other and continues after a failure. @returns the failed ones */
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

/** Whether a workspace has so few projects that it may not have received a trace yet. */
export function hasFewProjects(names: { pages: readonly Project[][] } | undefined): boolean {
  return names !== undefined && names.pages.flat().length <= 5
}

/** Makes all lists and statistics of projects stale. */
export function refreshProjects(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: projectQuery.all() })
}

const MAX_FOUND = 20
/** Debounce of the search in ms. */
const SEARCH_DELAY_MS = 150

/** Experiments whose name contains the text, newest first. */
export function searchExperimentsQuery(text: string) {
  return queryOptions({
    queryKey: [...projectQuery.all(), 'search experiments', text],
    queryFn: async ({ signal }) => {
      await waitForTyping(signal)
      const filter = 'neq(reference_dataset_id, null)'
      return client.queryProjects({ name_contains: text, filter, sort_by: 'start_time', limit: MAX_FOUND }, { signal })
    },
    staleTime: 30_000,
    meta: { quiet: true },
  })
}

async function waitForTyping(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, SEARCH_DELAY_MS))
  signal.throwIfAborted()
}

/** Projects whose name contains the text. */
export function searchProjectsQuery(text: string) {
  return queryOptions({
    queryKey: [...projectQuery.all(), 'search', text],
    queryFn: async ({ signal }) => {
      await waitForTyping(signal)
      return client.queryProjects({ name_contains: text, reference_free: true, limit: MAX_FOUND }, { signal })
    },
    staleTime: 30_000,
    meta: { quiet: true },
  })
}

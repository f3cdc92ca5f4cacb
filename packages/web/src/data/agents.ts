import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { CreateAgentParams } from '@touchstone/sdk'
import { AgentCalls, clientOf } from '@touchstone/sdk/api'
import { connection, client as projectClient } from './client.ts'

const { agents } = clientOf(connection, AgentCalls)

/** Four projects each: what one request for their last traces takes. */
const PAGE = 25

export type AgentSort = 'last_run_start_time' | 'name' | 'created_at'

export const agentQuery = {
  list: (search: string, sort: AgentSort) =>
    infiniteQueryOptions({
      queryKey: ['agents', 'list', search, sort],
      queryFn: ({ pageParam, signal }) =>
        agents.listPage(
          {
            search: search.trim() || undefined,
            sort_by: sort,
            sort_order: sort === 'name' ? 'asc' : 'desc',
            page_size: PAGE,
            cursor: pageParam,
          },
          { signal },
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      placeholderData: keepPreviousData,
    }),
  /** Start of the last trace of some projects, by id; null without traces. */
  lastTraces: (projectIds: readonly string[]) =>
    queryOptions({
      queryKey: ['agents', 'last-traces', projectIds],
      queryFn: async ({ signal }) => {
        const query = { id: [...projectIds], limit: 100, include_stats: true, stats_select: ['last_run_start_time'] }
        const projects = await projectClient.queryProjects(query, { signal })
        return new Map(projects.map(({ id, last_run_start_time: time }) => [id, time ?? null]))
      },
      staleTime: 30_000,
    }),
  /** The agent that a project belongs to; null for other projects. */
  ofProject: (projectId: string) =>
    queryOptions({
      queryKey: ['agents', 'of-project', projectId],
      queryFn: async ({ signal }) =>
        (await agents.listPage({ session_id: projectId, page_size: 1 }, { signal })).items[0] ?? null,
      staleTime: 300_000,
      meta: { quiet: true },
    }),
}

export const agentMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: (params: CreateAgentParams) => agents.create(params),
    onSuccess: () => refreshAgents(queryClient),
  }),
  rename: (queryClient: QueryClient) => ({
    mutationFn: ({ id, name }: { id: string; name: string }) => agents.update(id, { name }),
    onSuccess: () => refreshAgents(queryClient),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => agents.delete(id),
    onSettled: () => refreshAgents(queryClient),
  }),
}

/** Agents come and go with their projects. */
async function refreshAgents(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['agents'] }),
    queryClient.invalidateQueries({ queryKey: ['projects'] }),
  ])
}

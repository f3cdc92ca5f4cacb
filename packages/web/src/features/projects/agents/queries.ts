import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { CreateAgentParams } from '@touchstone/sdk'
import { AgentCalls, clientOf } from '@touchstone/sdk/api'
import { connection, client as projectClient } from '#lib/api/client.ts'
import { refreshProjects } from '../queries.ts'

const { agents } = clientOf(connection, AgentCalls)

/** Each agent has four projects; one request for their last traces takes 100 ids. */
const PAGE = 25

export type AgentSort = 'last_run_start_time' | 'name' | 'created_at'

export const agentQuery = {
  all: () => ['agents'] as const,
  list: (search: string, sort: AgentSort) =>
    infiniteQueryOptions({
      queryKey: [...agentQuery.all(), 'list', search, sort],
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
      queryKey: [...agentQuery.all(), 'last-traces', projectIds],
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
      queryKey: [...agentQuery.all(), 'of-project', projectId],
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

/** Creating or deleting an agent creates or deletes its projects. */
async function refreshAgents(queryClient: QueryClient): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: agentQuery.all() }), refreshProjects(queryClient)])
}

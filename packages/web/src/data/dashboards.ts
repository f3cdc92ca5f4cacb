import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { DashboardChart } from '@touchstone/contract'
import type { Dashboard as SentDashboard } from '@touchstone/sdk'
import { clientOf, DashboardCalls } from '@touchstone/sdk/api'
import { connection } from './client.ts'

const client = clientOf(connection, DashboardCalls)

export interface Dashboard extends Omit<SentDashboard, 'charts'> {
  charts: DashboardChart[]
}

export const dashboardQuery = {
  all: () => ['dashboards'] as const,
  allLists: () => [...dashboardQuery.all(), 'list'] as const,
  /** The dashboards of a project and of its workspace. */
  list: (projectId: string) =>
    queryOptions({
      queryKey: [...dashboardQuery.allLists(), projectId],
      queryFn: async ({ signal }) => (await client.listDashboards({ projectId }, { signal })).map(withDefaults),
      staleTime: 30_000,
      meta: { quiet: true },
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: [...dashboardQuery.all(), 'one', id],
      queryFn: async ({ signal }) => withDefaults(await client.readDashboard(id, { signal })),
      staleTime: 30_000,
      retry: false,
    }),
}

export const dashboardMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: async (dashboard: {
      name: string
      projectId?: string | undefined
      charts: readonly DashboardChart[]
    }) => withDefaults(await client.createDashboard({ ...dashboard, charts: [...dashboard.charts] })),
    onSuccess: (saved: Dashboard) => cacheDashboard(queryClient, saved),
  }),
  /** Runs one at a time: each change names the version it is based on, so the next one waits for the new version. */
  change: (queryClient: QueryClient, id: string) => ({
    scope: { id: `dashboard-${id}` },
    mutationFn: async (part: { name?: string; charts?: readonly DashboardChart[] }) => {
      const loaded = queryClient.getQueryData(dashboardQuery.one(id).queryKey)
      const charts = part.charts && [...part.charts]
      return withDefaults(await client.updateDashboard(id, { ...part, charts, modifiedAt: loaded?.modified_at }))
    },
    onSuccess: (saved: Dashboard) => cacheDashboard(queryClient, saved),
    onError: () => queryClient.invalidateQueries({ queryKey: dashboardQuery.all() }),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.deleteDashboard(id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: dashboardQuery.allLists() }),
  }),
}

function cacheDashboard(queryClient: QueryClient, saved: Dashboard) {
  queryClient.setQueryData(dashboardQuery.one(saved.id).queryKey, saved)
  return queryClient.invalidateQueries({ queryKey: dashboardQuery.allLists() })
}

/** Fills in the API's defaults. */
function withDefaults(dashboard: SentDashboard): Dashboard {
  return {
    ...dashboard,
    charts: dashboard.charts.map((chart) => ({
      ...chart,
      scope: chart.scope ?? 'traces',
      kind: chart.kind ?? 'line',
      size: chart.size ?? 'small',
    })),
  }
}

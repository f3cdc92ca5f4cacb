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
  /** Dashboards that a project offers: its own and the workspace's. */
  list: (projectId: string) =>
    queryOptions({
      queryKey: ['dashboards', 'list', projectId],
      queryFn: async ({ signal }) => (await client.listDashboards({ projectId }, { signal })).map(whole),
      staleTime: 30_000,
      meta: { quiet: true },
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: ['dashboards', 'one', id],
      queryFn: async ({ signal }) => whole(await client.readDashboard(id, { signal })),
      staleTime: 30_000,
      retry: false,
    }),
}

export const dashboardMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: async (wish: { name: string; projectId?: string | undefined; charts: readonly DashboardChart[] }) =>
      whole(await client.createDashboard({ ...wish, charts: [...wish.charts] })),
    onSuccess: (saved: Dashboard) => keep(queryClient, saved),
  }),
  /** One after the other: each says which state it changes, and the next waits for the state that it made. */
  change: (queryClient: QueryClient, id: string) => ({
    scope: { id: `dashboard-${id}` },
    mutationFn: async (part: { name?: string; charts?: readonly DashboardChart[] }) => {
      const known = queryClient.getQueryData(dashboardQuery.one(id).queryKey)
      const charts = part.charts && [...part.charts]
      return whole(await client.updateDashboard(id, { ...part, charts, modifiedAt: known?.modified_at }))
    },
    onSuccess: (saved: Dashboard) => keep(queryClient, saved),
    onError: () => queryClient.invalidateQueries({ queryKey: ['dashboards'] }),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.deleteDashboard(id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['dashboards', 'list'] }),
  }),
}

function keep(queryClient: QueryClient, saved: Dashboard) {
  queryClient.setQueryData(dashboardQuery.one(saved.id).queryKey, saved)
  return queryClient.invalidateQueries({ queryKey: ['dashboards', 'list'] })
}

/** With what the API fills in when it is left out. */
function whole(dashboard: SentDashboard): Dashboard {
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

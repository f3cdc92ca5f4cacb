import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { DashboardChart } from '@touchstone/contract'
import type { Dashboard as SentDashboard } from '@touchstone/sdk'
import { clientOf, DashboardCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { isOvertaken } from '#lib/errors.ts'
import { mergeCharts } from '../logic/merge-charts.ts'

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

/** Changes of others between reading and saving a dashboard, before the save fails. */
const MOST_REPEATS = 5

export const readDashboard = async (id: string): Promise<Dashboard> => withDefaults(await client.readDashboard(id))

export const dashboardMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: async (dashboard: {
      name: string
      projectId?: string | undefined
      charts: readonly DashboardChart[]
    }) => withDefaults(await client.createDashboard({ ...dashboard, charts: [...dashboard.charts] })),
    onSuccess: (saved: Dashboard) => cacheDashboard(queryClient, saved),
  }),
  rename: (queryClient: QueryClient, id: string) => ({
    mutationFn: async ({ name, expected }: { name: string; expected: string }) =>
      withDefaults(await client.updateDashboard(id, { name, expected: { name: expected } })),
    onSuccess: (saved: Dashboard) => cacheDashboard(queryClient, saved),
  }),
  /**
   * Saves charts on top of what others have saved since `base`. Runs one at a time, so that the next change is based on this
   * one.
   *
   * @throws ConflictError when both have changed the same chart; then the newest charts are in the cache
   */
  changeCharts: (queryClient: QueryClient, id: string) => ({
    scope: { id: `dashboard-${id}` },
    mutationFn: async (change: { base: readonly DashboardChart[]; charts: readonly DashboardChart[] }) => {
      let { base, charts } = change
      for (let left = MOST_REPEATS; ; left -= 1) {
        try {
          const expected = { charts: [...base] }
          return withDefaults(await client.updateDashboard(id, { charts: [...charts], expected }))
        } catch (error) {
          if (left === 0 || !isOvertaken(error)) throw error
          const now = await readDashboard(id)
          const merged = mergeCharts({ base, mine: charts, theirs: now.charts }, 'mine')
          if (merged.conflicts.length > 0) {
            await cacheDashboard(queryClient, now)
            throw error
          }
          base = now.charts
          charts = merged.charts
        }
      }
    },
    onSuccess: (saved: Dashboard) => cacheDashboard(queryClient, saved),
    /** After a conflict the newest charts are known already. */
    onError: (error: unknown) =>
      isOvertaken(error) ? undefined : queryClient.invalidateQueries({ queryKey: dashboardQuery.all() }),
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

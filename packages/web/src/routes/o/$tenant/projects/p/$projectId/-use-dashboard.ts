import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DashboardChart } from '@touchstone/contract'
import { useState } from 'react'
import { dashboardMutation, dashboardQuery } from '#data/dashboards.ts'
import { removeChart } from '#lib/monitor/board.ts'
import { labelOfChart } from '#lib/monitor/metrics.ts'
import { toast } from '#ui/toast.tsx'

export type OpenDashboard = ReturnType<typeof useDashboard>

/** A saved dashboard and what can be done with it; changes are on screen before they are saved. */
export function useDashboard(id: string | undefined) {
  const queryClient = useQueryClient()
  const read = useQuery({ ...dashboardQuery.one(id ?? ''), enabled: id !== undefined })
  const [draft, setDraft] = useState<readonly DashboardChart[]>()
  const change = useMutation(dashboardMutation.change(queryClient, id ?? ''))
  const charts = draft ?? read.data?.charts

  function save(next: readonly DashboardChart[]) {
    setDraft(next)
    change.mutate(
      { charts: next },
      {
        onSettled: () => setDraft((draft) => (draft === next ? undefined : draft)),
        onError: (cause) => toast.failure('The dashboard could not be saved.', cause),
      },
    )
  }
  return {
    read,
    dashboard: id === undefined ? undefined : read.data,
    charts: id === undefined ? undefined : charts,
    /** Shows an order that is not saved yet, while a chart is dragged. */
    preview: setDraft,
    save,
    rename: (name: string) => change.mutateAsync({ name }),
    remove: (chart: DashboardChart) => {
      const before = charts ?? []
      save(removeChart(before, chart.id))
      toast.done(`${labelOfChart(chart)} removed`, { label: 'Undo', run: () => save(before) })
    },
  }
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DashboardChart } from '@touchstone/contract'
import { useState } from 'react'
import { isOvertaken } from '#lib/errors.ts'
import { toast } from '#ui/toast.tsx'
import { mergeCharts } from '../logic/merge-charts.ts'
import { getChartLabel, removeChart } from '../logic/metrics.ts'
import { dashboardMutation, dashboardQuery } from './queries.ts'

export type OpenDashboard = ReturnType<typeof useDashboard>

type Charts = readonly DashboardChart[]

/** Charts that were changed here and elsewhere. */
interface Sides {
  /** What the change is based on. */
  readonly base: Charts
  readonly mine: Charts
}

/**
 * Loads a saved dashboard and changes it. Changes appear at once and are saved in the background, on top of what others have
 * saved meanwhile. When both have changed the same chart, the user chooses.
 */
export function useDashboard(id: string | undefined) {
  const queryClient = useQueryClient()
  const one = dashboardQuery.one(id ?? '')
  const read = useQuery({ ...one, enabled: id !== undefined })
  const [draft, setDraft] = useState<Charts>()
  const [sides, setSides] = useState<Sides>()
  const change = useMutation(dashboardMutation.changeCharts(queryClient, id ?? ''))
  const saved = read.data?.charts
  const charts = draft ?? saved

  function save(next: Charts, base = charts ?? [], onSaved?: () => void) {
    setDraft(next)
    // Nothing is sent before the user has chosen.
    if (sides) setSides({ ...sides, mine: next })
    else void send(base, next, onSaved)
  }
  async function send(base: Charts, mine: Charts, onSaved?: () => void) {
    setDraft(mine)
    const hideDraft = () => setDraft((draft) => (draft === mine ? undefined : draft))
    try {
      await change.mutateAsync({ base, charts: mine })
      hideDraft()
      onSaved?.()
    } catch (cause) {
      if (isOvertaken(cause)) return setSides((before) => ({ base: before?.base ?? base, mine }))
      hideDraft()
      toast.failure('Could not save the dashboard', cause)
    }
  }
  function choose(side: 'mine' | 'theirs') {
    if (sides === undefined || saved === undefined) return
    setSides(undefined)
    void send(saved, mergeCharts({ ...sides, theirs: saved }, side).charts)
  }
  return {
    read,
    dashboard: id === undefined ? undefined : read.data,
    charts: id === undefined ? undefined : charts,
    /** Shows charts without saving them, while a chart is dragged. */
    preview: (shown: Charts | undefined) => setDraft(shown ?? sides?.mine),
    /** @param base  the charts that the change is based on. @default those on screen */
    save: (next: Charts, base?: Charts) => save(next, base),
    /** Charts that were changed here and elsewhere; nothing is saved until the user has chosen a side. */
    conflicts: sides && saved ? mergeCharts({ ...sides, theirs: saved }, 'mine').conflicts : [],
    choose,
    remove: (chart: DashboardChart) => {
      const at = charts?.findIndex((one) => one.id === chart.id) ?? 0
      save(removeChart(charts ?? [], chart.id), undefined, () => {
        toast.done(`${getChartLabel(chart)} removed`, { label: 'Undo', run: () => putBack(chart, at) })
      })
    },
  }

  /** Other charts may have changed since it was removed. */
  function putBack(chart: DashboardChart, at: number) {
    const now = queryClient.getQueryData(one.queryKey)?.charts ?? []
    void send(now, [...now.slice(0, at), chart, ...now.slice(at)])
  }
}

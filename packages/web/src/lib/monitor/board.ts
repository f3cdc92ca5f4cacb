import type { DashboardChart } from '@touchstone/contract'

/** The charts with one of them moved to a place, counted from 0; places beyond the ends are the ends. */
export function moveChart(charts: readonly DashboardChart[], id: string, to: number): DashboardChart[] {
  const moved = charts.find((chart) => chart.id === id)
  if (moved === undefined) return [...charts]
  const others = charts.filter((chart) => chart.id !== id)
  const place = Math.min(Math.max(to, 0), others.length)
  return [...others.slice(0, place), moved, ...others.slice(place)]
}

/** The charts with this one in place of the one of its id, or at the end. */
export function putChart(charts: readonly DashboardChart[], chart: DashboardChart): DashboardChart[] {
  return charts.some(({ id }) => id === chart.id)
    ? charts.map((one) => (one.id === chart.id ? chart : one))
    : [...charts, chart]
}

export function removeChart(charts: readonly DashboardChart[], id: string): DashboardChart[] {
  return charts.filter((chart) => chart.id !== id)
}

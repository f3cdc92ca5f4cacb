import type { DashboardChart } from '@touchstone/contract'
import type { MonitorSearch } from '#lib/page-search.ts'

/** Ids of the charts that are toggled between chart and table, from the URL. */
export const parseTables = (tables: string | undefined): ReadonlySet<string> => new Set(tables?.split(','))

/** The `tables` search parameter after a chart is toggled. */
export function toggleTable(tables: ReadonlySet<string>, id: string, isToggled: boolean): string | undefined {
  const next = new Set(tables)
  if (isToggled) next.add(id)
  else next.delete(id)
  return [...next].join(',') || undefined
}

/** The feedback keys of all charts, sorted, so that the order of the charts does not matter. */
export function collectFeedbackKeys(charts: readonly DashboardChart[] | undefined): readonly string[] {
  const keys = charts?.flatMap(({ metric, feedback_key }) =>
    metric === 'feedback' && feedback_key ? [feedback_key] : [],
  )
  return [...new Set(keys)].sort()
}

/**
 * A new chart with defaults. Its id must be unique on its dashboard only: `crypto.randomUUID` is missing on pages
 * without TLS.
 */
export function createChart(scope: DashboardChart['scope']): DashboardChart {
  const id = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`
  return { id, metric: 'latency', scope, kind: 'line', size: 'small' }
}

/** The search parameters of a grouping. Root runs have no model and rarely differ in type, so these need all runs. */
export function toGroupSearch(group: string): Partial<MonitorSearch> {
  if (group === 'none') return { group: undefined }
  return group === 'model' || group === 'run_type' ? { group, scope: 'runs' } : { group }
}

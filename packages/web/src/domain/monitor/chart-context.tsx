import { Link } from '@tanstack/react-router'
import type { RunGrouping } from '@touchstone/contract'
import { createContext, type ReactNode, use } from 'react'
import type { ChartRange, ChartRuns } from '#data/monitor.ts'
import type { Filters } from '#lib/filter/chips.ts'
import { narrow } from '#lib/monitor/drill-down.ts'

/** Settings shared by all charts of a page. */
export interface ChartContextValue {
  tenant: string
  projectId: string
  /** Filters of the page; each chart adds its own. */
  filters: Filters
  window: ChartRange
  /** Used by charts without their own grouping. */
  group: RunGrouping | undefined
  /** Whether the previous period is drawn too. */
  isCompared: boolean
  /** Feedback keys whose averages are loaded with one request for all charts. */
  feedbackKeys: readonly string[]
  theme: string
  onZoom: (from: number, to: number) => void
}

export const ChartContext = createContext<ChartContextValue | undefined>(undefined)

export function useChartContext(): ChartContextValue {
  const context = use(ChartContext)
  if (!context) throw new Error('useChartContext needs a ChartContext above it.')
  return context
}

interface RunsLinkProps {
  runs: ChartRuns
  /** Time range in the form used in URLs. */
  t: string
  /** Conditions in addition to the filters of `runs`. */
  conditions: readonly (string | undefined)[]
  className?: string
  children: ReactNode
}

/** Link to the list of the runs behind a figure. */
export function RunsLink({ runs, t, conditions, className, children }: RunsLinkProps) {
  const { tenant } = useChartContext()
  const { run, root, tree } = runs.filters
  return (
    <Link
      to="/o/$tenant/projects/p/$projectId"
      params={{ tenant, projectId: runs.projectId }}
      search={{ scope: runs.scope, t, filter: narrow(run, ...conditions), traceFilter: root, treeFilter: tree }}
      className={className}
    >
      {children}
    </Link>
  )
}

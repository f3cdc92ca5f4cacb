import { Link } from '@tanstack/react-router'
import type { RunGrouping } from '@touchstone/contract'
import { createContext, type ReactNode, use } from 'react'
import type { ChartRange, ChartRuns } from '#data/monitor.ts'
import type { Filters } from '#lib/filter/chips.ts'
import { narrow } from '#lib/monitor/drill-down.ts'

/** What all charts of a page have in common. */
export interface ChartContextValue {
  tenant: string
  projectId: string
  /** Of the page; a chart adds its own. */
  filters: Filters
  window: ChartRange
  /** For charts that have no grouping of their own. */
  group: RunGrouping | undefined
  /** Whether the period before is drawn. */
  isCompared: boolean
  /** Keys whose means are read in one question for all charts. */
  feedbackKeys: readonly string[]
  theme: string
  onZoom: (from: number, to: number) => void
}

export const ChartContext = createContext<ChartContextValue | undefined>(undefined)

export function useChartContext(): ChartContextValue {
  const scene = use(ChartContext)
  if (!scene) throw new Error('A chart was drawn outside of a monitor.')
  return scene
}

interface RunsLinkProps {
  runs: ChartRuns
  /** The time range, as addresses hold it. */
  t: string
  /** On top of the filter of the runs. */
  conditions: readonly (string | undefined)[]
  className?: string
  children: ReactNode
}

/** The list of exactly the runs behind a figure. */
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

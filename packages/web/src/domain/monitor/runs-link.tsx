import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ChartRuns } from '#data/monitor.ts'
import { narrow } from '#lib/monitor/drill-down.ts'
import { useChartContext } from './chart-scene.ts'

export interface RunsLinkProps {
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

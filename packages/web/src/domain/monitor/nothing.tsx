import { useQuery } from '@tanstack/react-query'
import { monitorQuery } from '#data/monitor.ts'
import { formatAbsoluteTime } from '#lib/format/format.ts'
import { useChartContext } from './chart-scene.ts'

/** Where a chart would be when no run of the time range has the figure; when there was a run at all. */
export function NoData() {
  const { projectId, window } = useChartContext()
  const last = useQuery(monitorQuery.lastRun(projectId))
  const isOlder = last.data && window.bounds.from !== undefined && last.data < window.bounds.from
  return (
    <p className="flex h-[168px] flex-col items-center justify-center text-center text-row text-fg-muted">
      Nothing to show in this time
      {isOlder && <span>The last run began {formatAbsoluteTime(last.data)}</span>}
    </p>
  )
}

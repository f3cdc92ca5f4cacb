import { useQuery } from '@tanstack/react-query'
import type { DashboardChart, RunErrorGroup } from '@touchstone/contract'
import { shortenErrorType } from '#features/traces/model/failures.ts'
import { formatCount, formatRelativeTime, pluralize } from '#lib/format.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { LightLink } from '#ui/light-link.tsx'
import { ErrorState, Skeleton } from '#ui/states.tsx'
import { monitorQuery } from '../queries.ts'
import { RunsLink, toChartRuns, useChartContext } from './chart-context.tsx'

/** The most frequent errors by type and message, with links to their runs and to the latest one. */
export function ErrorGroups({ chart }: { chart: DashboardChart }) {
  const context = useChartContext()
  const { bounds, nowMs } = context.window
  const runs = toChartRuns(context, chart)
  const read = useQuery(monitorQuery.errors(runs, bounds))
  if (read.isError && !read.data) {
    return <ErrorState compact title="Could not load errors" error={read.error} onRetry={() => void read.refetch()} />
  }
  if (!read.data) return <Skeleton className="m-2 h-40" />
  const { groups, total } = read.data
  const [largest] = groups
  if (largest === undefined)
    return <p className="flex h-[168px] items-center justify-center text-row text-fg-muted">No errors in this range</p>
  const t = printTimeRange(bounds.from, bounds.to)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div tabIndex={0} role="region" aria-label="Errors by message" className="max-h-[192px] overflow-auto">
      <ul>
        {groups.map((group) => (
          <li key={group.message} className="relative border-b border-border px-2 py-1 last:border-0">
            <span
              aria-hidden
              className="absolute inset-y-0.5 left-0 rounded-control bg-del-bg"
              style={{ width: `${(group.run_count / largest.run_count) * 100}%` }}
            />
            <RunsLink
              runs={runs}
              t={t}
              conditions={[group.query]}
              className="relative flex min-h-5 items-center gap-3 text-row hover:underline coarse:min-h-8"
            >
              <span dir="auto" className="min-w-0 flex-1 truncate font-mono" title={group.message}>
                {shortenErrorType(group.message)}
              </span>
              <span className="tabular-nums">{formatCount(group.run_count)}</span>
            </RunsLink>
            <GroupFacts tenant={context.tenant} group={group} nowMs={nowMs} />
          </li>
        ))}
      </ul>
      {total > groups.length && (
        <p className="px-2 py-1 text-meta text-fg-muted">
          Top {groups.length} of {formatCount(total)} errors
        </p>
      )}
    </div>
  )
}

function GroupFacts({ tenant, group, nowMs }: { tenant: string; group: RunErrorGroup; nowMs: number }) {
  const { latest, first_seen, last_seen, run_count, trace_count } = group
  const [first, last] = [first_seen, last_seen].map((time) => formatRelativeTime(time, nowMs).replace(/\.\d{3}$/, ''))
  return (
    <p className="relative flex items-center gap-2 text-meta text-fg-muted">
      <span className="min-w-0 truncate tabular-nums">
        {run_count === 1 ? `Seen ${last}` : `First seen ${first}, last ${last}`}
        {trace_count < run_count && ` in ${pluralize(trace_count, 'trace')}`}
      </span>
      <LightLink
        href={`/o/${tenant}/projects/p/${latest.session_id}/r/${latest.id}?trace_id=${latest.trace_id}`}
        title={latest.error}
        className="ml-auto shrink-0 text-accent hover:underline coarse:py-2"
      >
        Latest trace
      </LightLink>
    </p>
  )
}

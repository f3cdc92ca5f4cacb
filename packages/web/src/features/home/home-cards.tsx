import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'
import {
  Database,
  FlaskConical,
  FolderKanban,
  ListChecks,
  type LucideIcon,
  MessageSquareCode,
  MessagesSquare,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { TopMetric } from '#features/experiments/top-metric.tsx'
import { formatAbsoluteTime, formatCompactTime, formatCount, formatLatency, formatRelativeTime } from '#lib/format.ts'
import { type Recent, recentsPreference } from '#lib/preferences.ts'
import { stripTerminalCodes } from '#lib/terminal-text.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { useNow, usePreference } from '#ui/hooks.tsx'
import { ErrorState, Preview, SkeletonRows } from '#ui/states.tsx'
import { homeQuery, type ProjectHealth } from './queries.ts'

interface TracesCardProps {
  tenant: string
  kind: 'failed' | 'slowest'
  /** The projects with recent traces. */
  health: UseQueryResult<readonly ProjectHealth[]>
}

/** The latest failed or the slowest traces of the last 24 hours, over all projects. */
export function TracesCard({ tenant, kind, health }: TracesCardProps) {
  const active = (health.data ?? []).filter(({ now }) => now.runs > 0)
  const read = useQuery({
    ...homeQuery.traces(
      kind,
      // In a fixed order, so that a new order of the projects is not another query.
      active.map(({ id }) => id).sort(),
    ),
    enabled: active.length > 0,
  })
  const now = useNow(30_000)
  if (read.isError && !read.data) {
    return <ErrorState compact title="Could not load traces" error={read.error} onRetry={() => void read.refetch()} />
  }
  if (health.isError && !health.data) {
    return (
      <ErrorState compact title="Could not load traces" error={health.error} onRetry={() => void health.refetch()} />
    )
  }
  if (!health.data || (active.length > 0 && !read.data)) {
    return <SkeletonRows rows={5} height={44} label="Loading traces" />
  }
  const runs = active.length > 0 ? (read.data ?? []) : []
  if (runs.length === 0) return <EmptyLine>{kind === 'failed' ? 'No failed traces' : 'No finished traces'}</EmptyLine>
  const names = new Map(active.map(({ id, name }) => [id, name]))
  return (
    <ul>
      {runs.map((run) => (
        <TraceLine
          key={run.id}
          tenant={tenant}
          run={run}
          projectName={names.get(run.session_id)}
          figure={
            kind === 'slowest' ? (
              formatLatency(msBetween(run.start_time, run.end_time))
            ) : (
              <span className="text-meta text-fg-muted" title={formatAbsoluteTime(run.start_time)}>
                {formatTime(run.start_time, now)}
              </span>
            )
          }
        />
      ))}
    </ul>
  )
}

interface TraceLineProps {
  tenant: string
  run: Run
  projectName: string | undefined
  figure: ReactNode
}

function TraceLine({ tenant, run, projectName, figure }: TraceLineProps) {
  const hasFailed = run.status === 'error'
  return (
    <li className="flex h-11 flex-col justify-center border-t border-border px-3 first:border-0 hover:bg-hover">
      <span className="flex min-w-0 items-center gap-2 text-row">
        {hasFailed && <span role="img" aria-label="Failed" className="size-1.5 shrink-0 rounded-full bg-err" />}
        <Link
          to="/o/$tenant/projects/p/$projectId/r/$runId"
          params={{ tenant, projectId: run.session_id, runId: run.id }}
          search={{ trace_id: run.trace_id }}
          data-line
          className="min-w-0 flex-1 truncate font-medium hover:underline"
        >
          {run.name}
        </Link>
        <span className="shrink-0 tabular-nums">{figure}</span>
      </span>
      <span className="flex min-w-0 gap-1.5 text-meta text-fg-muted">
        <span className="max-w-[50%] shrink-0 truncate">{projectName}</span>
        <span dir="auto" className="min-w-0 flex-1 truncate text-fg-subtle">
          <Preview derived={hasFailed && run.error_preview ? undefined : run.derived_payloads} side="inputs">
            {stripTerminalCodes((hasFailed && run.error_preview) || run.inputs_preview || '')}
          </Preview>
        </span>
      </span>
    </li>
  )
}

export function QueuesCard({ tenant }: { tenant: string }) {
  const read = useQuery(homeQuery.queues())
  if (read.isPending) return <SkeletonRows rows={2} label="Loading queues" />
  if (read.isError && !read.data) {
    return <ErrorState compact title="Could not load queues" error={read.error} onRetry={() => void read.refetch()} />
  }
  if (read.data.length === 0) return <EmptyLine>No items wait for your review</EmptyLine>
  return (
    <ul>
      {read.data.map(({ id, name, open }) => (
        <Line key={id} icon={ListChecks}>
          <Link
            to="/o/$tenant/annotation-queues/$queueId/review"
            params={{ tenant, queueId: id }}
            data-line
            className="min-w-0 flex-1 truncate hover:underline"
          >
            {name}
          </Link>
          <span className="tabular-nums text-fg-muted">{formatCount(open)} to review</span>
        </Line>
      ))}
    </ul>
  )
}

export function ExperimentsCard({ tenant }: { tenant: string }) {
  const read = useQuery(homeQuery.experiments())
  const now = useNow(30_000)
  if (read.isPending) return <SkeletonRows rows={3} label="Loading experiments" />
  if (read.isError && !read.data) {
    return (
      <ErrorState compact title="Could not load experiments" error={read.error} onRetry={() => void read.refetch()} />
    )
  }
  if (read.data.length === 0) return <EmptyLine>No experiments yet</EmptyLine>
  return (
    <ul>
      {read.data.map((experiment) => (
        <Line key={experiment.id} icon={FlaskConical}>
          <Link
            to="/o/$tenant/datasets/$datasetId/compare"
            params={{ tenant, datasetId: experiment.datasetId }}
            search={{ selectedSessions: experiment.id }}
            title={experiment.name}
            data-line
            className="min-w-0 flex-1 truncate hover:underline"
          >
            {experiment.name}
          </Link>
          <span className="max-w-48 min-w-0">
            <TopMetric experiment={experiment} />
          </span>
          <span className="shrink-0 text-meta text-fg-muted" title={formatAbsoluteTime(experiment.startedAt)}>
            {formatTime(experiment.startedAt, now)}
          </span>
        </Line>
      ))}
    </ul>
  )
}

const RECENT_ICONS: Readonly<Record<Recent['kind'], LucideIcon>> = {
  project: FolderKanban,
  thread: MessagesSquare,
  dataset: Database,
  experiment: FlaskConical,
  queue: ListChecks,
  prompt: MessageSquareCode,
}

export function RecentsCard() {
  const [recents] = usePreference(recentsPreference)
  if (recents.length === 0) return <EmptyLine>Pages that you open in this browser are listed here.</EmptyLine>
  return (
    <ul>
      {recents.map(({ kind, label, href }) => (
        <Line key={href} icon={RECENT_ICONS[kind]}>
          <Link to={href} data-line className="min-w-0 flex-1 truncate hover:underline">
            {label}
          </Link>
          <span className="text-meta text-fg-muted">{kind}</span>
        </Line>
      ))}
    </ul>
  )
}

function Line({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <li className="flex h-7 items-center gap-2 border-t border-border px-3 text-row first:border-0 hover:bg-hover coarse:h-10">
      <Icon size={13} aria-hidden className="shrink-0 text-fg-subtle" />
      {children}
    </li>
  )
}

function EmptyLine({ children }: { children: string }) {
  return <p className="px-3 py-3 text-row text-fg-muted">{children}</p>
}

/** How long ago within the last hour, otherwise the time or the day. */
function formatTime(iso: string, now: number): string {
  const relative = formatRelativeTime(iso, now)
  return /ago$|^now$/.test(relative) ? relative : formatCompactTime(iso, now)
}

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Database, FlaskConical, FolderKanban, ListChecks, type LucideIcon, MessagesSquare } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { homeQuery, MAX_PROJECTS } from '#data/home.ts'
import { hasFewProjects, projectQuery } from '#data/projects.ts'
import { TopMetric } from '#domain/datasets/top-metric.tsx'
import { formatAbsoluteTime, formatCount, formatRelativeTime } from '#lib/format.ts'
import { getStartedPreference, type Recent, recentsPreference } from '#lib/preferences.ts'
import { PageFrame } from '#shell/page-frame.tsx'
import { buttonLook } from '#ui/button.tsx'
import { useNow, usePreference } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { HealthTable } from './-health-table.tsx'

const FirstTrace = lazyExtra(() => import('#domain/onboarding/first-trace.tsx').then((module) => module.FirstTrace))
const GetStarted = lazyExtra(() => import('./-get-started.tsx').then((module) => module.GetStarted))

/** Health of the projects and open work. Each card loads on its own. */
export function HomePage({ tenant }: { tenant: string }) {
  const names = useInfiniteQuery(projectQuery.names())
  const [isBeginner] = usePreference(getStartedPreference)
  useShortcuts('List', [
    { keys: ['j', 'arrowdown'], label: 'Next row', run: () => moveFocus(1) },
    { keys: ['k', 'arrowup'], label: 'Previous row', run: () => moveFocus(-1) },
  ])
  return (
    <PageFrame title="Home" status={<span>Last 24 h vs. previous 24 h</span>}>
      <div data-home className="min-h-0 min-w-0 flex-1 overflow-y-auto">
        <Suspense>
          {names.data && hasFewProjects(names.data) && (
            <FirstTrace tenant={tenant} projects={names.data.pages.flat()} />
          )}
        </Suspense>
        <div className="grid auto-rows-min gap-3 p-3 xl:grid-cols-3">
          <Card title="Health" className="self-start xl:col-span-2 xl:row-span-4">
            <HealthCard tenant={tenant} />
          </Card>
          {isBeginner && (
            <Suspense>
              <GetStarted tenant={tenant} projects={names.data?.pages.flat()} />
            </Suspense>
          )}
          <Card title="Waiting for review">
            <QueuesCard tenant={tenant} />
          </Card>
          <Card title="Last experiments">
            <ExperimentsCard tenant={tenant} />
          </Card>
          <Card title="Recently opened">
            <RecentsCard />
          </Card>
        </div>
      </div>
    </PageFrame>
  )
}

function HealthCard({ tenant }: { tenant: string }) {
  const read = useQuery(homeQuery.health())
  if (read.isPending) return <SkeletonRows rows={6} label="Loading projects" />
  if (read.isError && !read.data) {
    return <ErrorState title="Could not load projects" error={read.error} onRetry={() => void read.refetch()} />
  }
  if (read.data.length === 0) {
    return (
      <EmptyState
        icon={FolderKanban}
        title="No traces in the last 48 hours"
        actions={
          <Link to="/o/$tenant/projects" params={{ tenant }} className={buttonLook('primary')}>
            All projects
          </Link>
        }
      >
        Open a project to see how to send traces.
      </EmptyState>
    )
  }
  return (
    <>
      <HealthTable tenant={tenant} projects={read.data} />
      {read.data.length >= MAX_PROJECTS && (
        <p className="px-3 py-2 text-meta text-fg-muted">The {MAX_PROJECTS} most recently active projects</p>
      )}
    </>
  )
}

function QueuesCard({ tenant }: { tenant: string }) {
  const read = useQuery(homeQuery.queues())
  if (read.isPending) return <SkeletonRows rows={2} label="Loading queues" />
  if (read.isError && !read.data) {
    return <ErrorState compact title="Could not load queues" error={read.error} onRetry={() => void read.refetch()} />
  }
  if (read.data.length === 0) return <EmptyLine>No items wait for your review</EmptyLine>
  return (
    <ul>
      {read.data.map(({ id, name, open }) => (
        <li key={id} className="border-t border-border first:border-0">
          <Line icon={ListChecks}>
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
        </li>
      ))}
    </ul>
  )
}

function ExperimentsCard({ tenant }: { tenant: string }) {
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
        <li key={experiment.id} className="border-t border-border first:border-0">
          <Line icon={FlaskConical}>
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
              {formatRelativeTime(experiment.startedAt, now).replace(/\.\d{3}$/, '')}
            </span>
          </Line>
        </li>
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
}

function RecentsCard() {
  const [recents] = usePreference(recentsPreference)
  if (recents.length === 0) return <EmptyLine>Pages that you open in this browser are listed here.</EmptyLine>
  return (
    <ul>
      {recents.map(({ kind, label, href }) => (
        <li key={href} className="border-t border-border first:border-0">
          <Line icon={RECENT_ICONS[kind]}>
            <Link to={href} data-line className="min-w-0 flex-1 truncate hover:underline">
              {label}
            </Link>
            <span className="text-meta text-fg-muted">{kind}</span>
          </Line>
        </li>
      ))}
    </ul>
  )
}

function Card({ title, className, children }: { title: string; className?: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className={`min-w-0 overflow-hidden rounded-card border border-border bg-surface ${className ?? ''}`}
    >
      <h2 className="flex h-9 items-center border-b border-border px-3 text-row font-semibold">{title}</h2>
      <PaneBoundary title="Could not show this card">{children}</PaneBoundary>
    </section>
  )
}

function Line({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <span className="flex h-7 items-center gap-2 px-3 text-row coarse:h-10">
      <Icon size={13} aria-hidden className="shrink-0 text-fg-subtle" />
      {children}
    </span>
  )
}

function EmptyLine({ children }: { children: string }) {
  return <p className="px-3 py-3 text-row text-fg-muted">{children}</p>
}

/** Moves the focus over the links of all cards, in page order. */
function moveFocus(by: 1 | -1) {
  const lines = [...document.querySelectorAll<HTMLElement>('[data-home] [data-line]')]
  const at = lines.indexOf(document.activeElement as HTMLElement)
  lines[at < 0 ? 0 : Math.min(Math.max(at + by, 0), lines.length - 1)]?.focus()
}

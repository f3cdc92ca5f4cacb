import { type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FolderKanban } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { hasFewProjects, projectQuery } from '#features/projects/queries.ts'
import { pluralize } from '#lib/format.ts'
import { getStartedPreference } from '#lib/preferences.ts'
import { useStore } from '#lib/store.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { buttonLook } from '#ui/button.tsx'
import { idlePage } from '#ui/first-page.ts'
import { usePreference } from '#ui/hooks.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, PaneBoundary, SkeletonRows } from '#ui/states.tsx'
import { HealthTable } from './health-table.tsx'
import { homeQuery, MAX_PROJECTS, type ProjectHealth } from './queries.ts'

const FirstTrace = lazyExtra(() => import('#features/onboarding/first-trace.tsx').then((module) => module.FirstTrace))
const GetStarted = lazyExtra(() => import('./get-started.tsx').then((module) => module.GetStarted))
const loadCards = () => import('./home-cards.tsx')
const TracesCard = lazyExtra(() => loadCards().then((module) => module.TracesCard))
const QueuesCard = lazyExtra(() => loadCards().then((module) => module.QueuesCard))
const ExperimentsCard = lazyExtra(() => loadCards().then((module) => module.ExperimentsCard))
const BlockedRules = lazyExtra(() => import('#features/rules/blocked-rules.tsx').then((module) => module.BlockedRules))
const RecentsCard = lazyExtra(() => loadCards().then((module) => module.RecentsCard))

const TODAY = 'Last 24 h'

/** Health of the projects, the traces to look at, and open work. Each card loads on its own. */
export function HomePage({ tenant }: { tenant: string }) {
  const names = useInfiniteQuery(projectQuery.names())
  const health = useQuery(homeQuery.health())
  const [isBeginner] = usePreference(getStartedPreference)
  // Rules wait, so that the first page needs no more requests for a card that is rarely shown.
  const isIdle = useStore(idlePage)
  useShortcuts('List', [
    { keys: ['j', 'arrowdown'], label: 'Next row', run: () => moveFocus(1) },
    { keys: ['k', 'arrowup'], label: 'Previous row', run: () => moveFocus(-1) },
  ])
  return (
    <PageFrame
      title="Home"
      toolbar={<span className="truncate text-row text-fg-muted">{describeProjects(health)}</span>}
    >
      <div data-home className="min-h-0 min-w-0 flex-1 overflow-y-auto">
        <Suspense>
          {names.data && hasFewProjects(names.data) && (
            <FirstTrace tenant={tenant} projects={names.data.pages.flat()} />
          )}
        </Suspense>
        <div className="grid gap-3 p-3 xl:grid-cols-3">
          <div className="flex min-w-0 flex-col gap-3 xl:col-span-2">
            <Card title="Projects" note={`${TODAY} vs. previous 24 h`}>
              <HealthCard tenant={tenant} health={health} />
            </Card>
            <div className="grid gap-3 md:grid-cols-2">
              <Card title="Failed traces" note={TODAY} rows={5} rowHeight={44}>
                <TracesCard tenant={tenant} kind="failed" health={health} />
              </Card>
              <Card title="Slowest traces" note={TODAY} rows={5} rowHeight={44}>
                <TracesCard tenant={tenant} kind="slowest" health={health} />
              </Card>
            </div>
          </div>
          <div className="flex min-w-0 flex-col gap-3">
            {isBeginner && (
              <Suspense>
                <GetStarted tenant={tenant} projects={names.data?.pages.flat()} />
              </Suspense>
            )}
            {isIdle && (
              <Suspense>
                <BlockedRules tenant={tenant} />
              </Suspense>
            )}
            <Card title="Waiting for review" rows={2}>
              <QueuesCard tenant={tenant} />
            </Card>
            <Card title="Last experiments" rows={3}>
              <ExperimentsCard tenant={tenant} />
            </Card>
            <Card title="Recently opened" rows={3}>
              <RecentsCard />
            </Card>
          </div>
        </div>
      </div>
    </PageFrame>
  )
}

function describeProjects({ data, isPending }: UseQueryResult<readonly ProjectHealth[]>): string {
  if (data === undefined) return isPending ? 'Loading…' : ''
  const count = data.length
  if (count === 0) return 'No active projects'
  return count >= MAX_PROJECTS
    ? `The ${MAX_PROJECTS} most recently active projects`
    : pluralize(count, 'active project')
}

function HealthCard({ tenant, health }: { tenant: string; health: UseQueryResult<ProjectHealth[]> }) {
  if (health.isPending) return <SkeletonRows rows={6} label="Loading projects" />
  if (health.isError && !health.data) {
    return <ErrorState title="Could not load projects" error={health.error} onRetry={() => void health.refetch()} />
  }
  if (health.data.length === 0) {
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
  return <HealthTable tenant={tenant} projects={health.data} />
}

interface CardProps {
  title: string
  /** What the figures of the card are about. */
  note?: string
  /** Rows to reserve while the card loads. @default 0 */
  rows?: number
  /** @default 28 */
  rowHeight?: number
  children: ReactNode
}

function Card({ title, note, rows = 0, rowHeight = 28, children }: CardProps) {
  const waiting = rows > 0 ? <SkeletonRows rows={rows} height={rowHeight} label={`Loading ${title}`} /> : null
  return (
    <section aria-label={title} className="min-w-0 overflow-hidden rounded-card border border-border bg-surface">
      <h2 className="flex h-9 items-center gap-2 border-b border-border px-3 text-row font-semibold">
        <span className="min-w-0 flex-1 truncate">{title}</span>
        {note && <span className="shrink-0 font-normal text-fg-muted">{note}</span>}
      </h2>
      <PaneBoundary title="Could not show this card">
        <Suspense fallback={waiting}>{children}</Suspense>
      </PaneBoundary>
    </section>
  )
}

/** Moves the focus over the links of all cards, in page order. */
function moveFocus(by: 1 | -1) {
  const lines = [...document.querySelectorAll<HTMLElement>('[data-home] [data-line]')]
  const at = lines.indexOf(document.activeElement as HTMLElement)
  lines[at < 0 ? 0 : Math.min(Math.max(at + by, 0), lines.length - 1)]?.focus()
}

import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { formatHealthChanges, type HealthChanges } from '#features/projects/projects.ts'
import { cx } from '#lib/browser.ts'
import { formatCount, formatLatency, formatRate } from '#lib/format.ts'
import { CostText } from '#ui/cost-text.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import type { ProjectHealth } from './queries.ts'

const ProjectActivity = lazyExtra(() =>
  import('#features/projects/project-activity.tsx').then((module) => module.ProjectActivity),
)

/**
 * Projects with their changes since the previous day; each number links to its runs. Phones leave out the cost, which
 * is on the monitor page that the name opens.
 */
export function HealthTable({ tenant, projects }: { tenant: string; projects: readonly ProjectHealth[] }) {
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      role="region"
      aria-label="Projects, largest decline first"
      className="overflow-x-auto outline-offset-[-2px]"
    >
      <table className="w-full text-row tabular-nums sm:min-w-[620px]">
        <thead className="text-meta text-fg-subtle">
          <tr>
            <th scope="col" className="px-3 py-1 text-left font-normal">
              Project
            </th>
            <th scope="col" className="px-3 py-1 text-left font-normal max-sm:hidden">
              Activity
            </th>
            {['Traces', 'Error rate', 'p99', 'Cost'].map((head) => (
              <th key={head} scope="col" className="px-3 py-1 text-right font-normal max-sm:px-2 max-sm:last:hidden">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {projects.map(({ id, name, now, before }) => {
            const params = { tenant, projectId: id }
            const changes = formatHealthChanges(now, before)
            return (
              <tr key={id} className="border-t border-border hover:bg-hover">
                <th scope="row" className="max-w-64 px-3 text-left font-medium max-sm:max-w-28">
                  <Link
                    to="/o/$tenant/projects/p/$projectId/monitor"
                    params={params}
                    search={{ scope: 'traces', t: '24h', prev: '1' }}
                    data-line
                    className="flex h-7 items-center hover:underline coarse:h-10"
                  >
                    <span className="truncate">{name}</span>
                  </Link>
                  <span aria-hidden className="sm:hidden">
                    <Activity id={id} name={name} className="h-6" />
                  </span>
                </th>
                <td className="px-3 max-sm:hidden">
                  <Activity id={id} name={name} className="h-[18px]" />
                </td>
                <Figure change={changes.runs} isBad={() => false}>
                  <Link
                    to="/o/$tenant/projects/p/$projectId"
                    params={params}
                    search={{ scope: 'traces', t: '24h' }}
                    className="hover:underline"
                  >
                    {formatCount(now.runs)}
                  </Link>
                </Figure>
                <Figure change={changes.errorRate}>
                  <Link
                    to="/o/$tenant/projects/p/$projectId"
                    params={params}
                    search={{ scope: 'traces', t: '24h', filter: 'eq(status, "error")' }}
                    className="hover:underline"
                  >
                    {formatRate(now.errorRate)}
                  </Link>
                </Figure>
                <Figure change={changes.latencyP99}>
                  {formatLatency(now.latencyP99 === undefined ? null : now.latencyP99 * 1000)}
                </Figure>
                <Figure change={changes.cost} isBad={() => false}>
                  <CostText total={now.cost} reported={now.reportedCost} fees={now.unpricedFees} />
                </Figure>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** Takes its place before it is loaded. */
function Activity({ id, name, className }: { id: string; name: string; className: string }) {
  return (
    <span className={cx('block w-[72px]', className)}>
      <Suspense>
        <ProjectActivity project={{ id, name }} t="24h" />
      </Suspense>
    </span>
  )
}

interface FigureProps {
  change: HealthChanges[keyof HealthChanges]
  /** Whether the direction is shown as a problem. @default (direction) => direction === 'up' */
  isBad?: (direction: 'up' | 'down' | 'same') => boolean
  children: ReactNode
}

function Figure({ change, isBad = (direction) => direction === 'up', children }: FigureProps) {
  return (
    <td className="whitespace-nowrap px-3 text-right max-sm:px-2 max-sm:py-1 max-sm:last:hidden">
      {children}
      {change && (
        <span
          className={cx(
            'pl-1.5 text-meta max-sm:block max-sm:pl-0',
            isBad(change.direction) ? 'text-err' : 'text-fg-muted',
          )}
        >
          {change.text}
        </span>
      )}
    </td>
  )
}

import { Link } from '@tanstack/react-router'
import { Ellipsis, Pencil, Pin, Trash2 } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { cx } from '#lib/browser.ts'
import {
  formatAbsoluteTime,
  formatCount,
  formatLatency,
  formatRate,
  formatRelativeTime,
  formatTokens,
  pluralize,
  UNKNOWN,
} from '#lib/format.ts'
import type { RunsSearch } from '#lib/page-search.ts'
import { getSortDirection, nextSort } from '#lib/row-sort.ts'
import { printSearch } from '#lib/search-schema.ts'
import { IconButton } from '#ui/button.tsx'
import { CostText } from '#ui/cost-text.tsx'
import type { Column } from '#ui/grid-columns.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { LightLink } from '#ui/light-link.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { Skeleton } from '#ui/states.tsx'
import type { ProjectRow } from './use-projects.tsx'

export interface ColumnsContext {
  tenant: string
  /** Whether the row actions are shown. */
  mayWrite: boolean
  /** Time range of the figures and of their links. */
  t: string
  sort: string
  onSort: (sort: string) => void
  onRename: (row: ProjectRow) => void
  onDelete: (row: ProjectRow) => void
  selected: ReadonlySet<string>
  onSelect: (projectId: string) => void
  onPin: (projectId: string) => void
}

const ProjectActivity = lazyExtra(() => import('../project-activity.tsx').then((module) => module.ProjectActivity))
const FeedbackMeans = lazyExtra(() => import('./project-extras.tsx').then((module) => module.FeedbackMeans))

export function projectColumns(context: ColumnsContext): Column<ProjectRow>[] {
  const { sort, onSort, t } = context
  const sorted = (id: string) => ({ direction: getSortDirection(sort, id), onSort: () => onSort(nextSort(sort, id)) })
  const figure = (
    id: string,
    header: string,
    width: string,
    search: Partial<RunsSearch> | ((stats: NonNullable<ProjectRow['stats']>) => Partial<RunsSearch>),
    show: (stats: NonNullable<ProjectRow['stats']>) => ReactNode,
  ): Column<ProjectRow> => ({
    id,
    header,
    width,
    align: 'end',
    sort: sorted(id),
    cell: (row) => {
      const own = typeof search === 'function' ? row.stats && search(row.stats) : search
      return <Figure row={row} tenant={context.tenant} search={{ t, ...own }} show={show} label={header} />
    },
  })

  return [
    {
      id: 'mark',
      header: <span className="sr-only">Marks</span>,
      width: '60px',
      cell: (row) => <Marks row={row} {...context} />,
    },
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(160px, 2fr)',
      sort: sorted('name'),
      cell: (row) => <NameLink row={row} {...context} />,
    },
    figure('runs', 'Traces', '76px', {}, (stats) => formatCount(stats.run_count)),
    {
      id: 'activity',
      header: 'Activity',
      width: '92px',
      cell: (row) => (
        <Suspense>
          <ProjectActivity project={row.project} t={t} />
        </Suspense>
      ),
    },
    figure('errors', 'Errors', '68px', { filter: 'neq(error, null)' }, (stats) => (
      <span className={cx(!!stats.error_rate && 'font-medium text-err')}>{formatRate(stats.error_rate)}</span>
    )),
    figure(
      'p50',
      'p50',
      '72px',
      (stats) => slowerThan(stats.latency_p50),
      (stats) => formatLatency(toMs(stats.latency_p50)),
    ),
    figure(
      'p99',
      'p99',
      '72px',
      (stats) => slowerThan(stats.latency_p99),
      (stats) => formatLatency(toMs(stats.latency_p99)),
    ),
    figure('tokens', 'Tokens', '76px', { scope: 'runs', filter: 'eq(run_type, "llm")' }, (stats) =>
      formatTokens(stats.total_tokens),
    ),
    figure('cost', 'Cost', '76px', { scope: 'runs', filter: 'eq(run_type, "llm")' }, (stats) => (
      <ProjectCost stats={stats} unknown="No model with a known price was used" />
    )),
    {
      id: 'feedback',
      header: 'Feedback',
      width: 'minmax(180px, 1.4fr)',
      cell: (row) => (
        <Suspense>
          <FeedbackMeans row={row} tenant={context.tenant} t={t} />
        </Suspense>
      ),
    },
    {
      id: 'last_run',
      header: 'Last trace',
      width: '124px',
      sort: sorted('last_run'),
      cell: (row) => <LastRun row={row} />,
    },
    {
      id: 'created',
      header: 'Created',
      width: '72px',
      sort: sorted('created'),
      cell: ({ project }) => (
        <span title={project.start_time}>{formatAbsoluteTime(project.start_time).replace(/ \d\d:.*$/, '')}</span>
      ),
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: '44px',
      cell: (row) =>
        context.mayWrite && (
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} label={`Actions of ${row.project.name}`} tabIndex={-1} />}
          >
            <MenuItem icon={<Pencil size={13} />} keys="f2" onSelect={() => context.onRename(row)}>
              Rename…
            </MenuItem>
            <MenuItem icon={<Trash2 size={13} />} danger onSelect={() => context.onDelete(row)}>
              Delete…
            </MenuItem>
          </Menu>
        ),
    },
  ]
}

/** A project in two lines, for phones. */
export function ProjectCard({ row, ...context }: { row: ProjectRow } & ColumnsContext) {
  const { stats } = row
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2 text-base">
        <NameLink row={row} {...context} />
        <span className="ml-auto shrink-0 text-row text-fg-muted">
          <LastRun row={row} />
        </span>
      </div>
      <div className="flex gap-3 text-fg-muted">
        {stats ? (
          <>
            <span>{pluralize(stats.run_count, 'trace')}</span>
            {(stats.run_count ?? 0) > 0 && (
              <>
                <span className={cx(!!stats.error_rate && 'text-err')}>{formatRate(stats.error_rate)} errors</span>
                <span>p50 {formatLatency(toMs(stats.latency_p50))}</span>
              </>
            )}
            {stats.total_cost && (
              <span className="ml-auto">
                <ProjectCost stats={stats} />
              </span>
            )}
          </>
        ) : (
          <Pending failed={row.failed} />
        )}
      </div>
    </div>
  )
}

function Marks({ row, selected, onSelect, onPin }: { row: ProjectRow } & ColumnsContext) {
  const { id, name } = row.project
  return (
    <span className="flex items-center gap-1">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Select ${name}`}
        checked={selected.has(id)}
        onChange={() => onSelect(id)}
      />
      <button
        type="button"
        tabIndex={-1}
        aria-pressed={row.isPinned}
        aria-label={`Pin ${name}`}
        title={row.isPinned ? 'Unpin' : 'Pin to the top'}
        onClick={() => onPin(id)}
        className={cx(
          'inline-flex size-6 items-center justify-center',
          row.isPinned ? 'text-accent' : 'text-fg-subtle',
        )}
      >
        <Pin size={13} aria-hidden fill={row.isPinned ? 'currentColor' : 'none'} />
      </button>
    </span>
  )
}

function NameLink({ row, tenant }: { row: ProjectRow } & ColumnsContext) {
  return (
    <Link
      to="/o/$tenant/projects/p/$projectId"
      params={{ tenant, projectId: row.project.id }}
      tabIndex={-1}
      title={row.project.description ?? undefined}
      dir="auto"
      className="truncate font-medium hover:underline"
    >
      {row.project.name}
    </Link>
  )
}

interface FigureProps {
  row: ProjectRow
  tenant: string
  label: string
  search: Partial<RunsSearch>
  show: (stats: NonNullable<ProjectRow['stats']>) => ReactNode
}

/** A number that links to the runs it counts. */
function Figure({ row, tenant, label, search, show }: FigureProps) {
  if (!row.stats) return <Pending failed={row.failed} />
  return (
    <LightLink
      href={`/o/${tenant}/projects/p/${row.project.id}${printSearch(search)}`}
      tabIndex={-1}
      aria-label={`${label} of ${row.project.name}`}
      className="hover:underline"
    >
      {show(row.stats)}
    </LightLink>
  )
}

function Pending({ failed }: { failed: boolean }) {
  if (failed) return <span title="Could not load the figures">!</span>
  return <Skeleton className="ml-auto w-10" />
}

function LastRun({ row }: { row: ProjectRow }) {
  const time = row.stats?.last_run_start_time ?? row.project.last_run_start_time_live
  if (!time) return <span className="text-fg-subtle">{UNKNOWN}</span>
  return <span title={time}>{formatRelativeTime(time).replace(/\.\d{3}$/, '')}</span>
}

/** Filter for the traces that took at least this long. */
function slowerThan(seconds: number | null | undefined): Partial<RunsSearch> {
  return seconds == null ? {} : { filter: `gte(latency, ${seconds})` }
}

/** The API returns seconds. */
function toMs(seconds: number | null | undefined): number | undefined {
  return seconds == null ? undefined : seconds * 1000
}

function ProjectCost({ stats, unknown }: { stats: NonNullable<ProjectRow['stats']>; unknown?: string }) {
  const { total_cost: total, reported_cost: reported, unpriced_fees: fees } = stats
  return <CostText total={total} reported={reported} fees={fees} unknown={unknown} />
}

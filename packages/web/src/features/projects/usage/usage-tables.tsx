import { Link } from '@tanstack/react-router'
import type { StorageReport, UsageFigures, UsageReport } from '@touchstone/sdk'
import { formatBytes, formatCount, formatTokens, pluralize } from '#lib/format.ts'
import type { UsageMetric } from '#lib/page-search.ts'
import { printMarkedCost } from '#lib/printed-cost.ts'
import { Button } from '#ui/button.tsx'
import { CostText } from '#ui/cost-text.tsx'

interface MetricFormat {
  value: (figures: UsageFigures) => number
  text: (figures: UsageFigures) => string
}

/** How to read and format a figure. */
export function getMetricFormat(metric: UsageMetric): MetricFormat {
  return METRIC_FORMATS[metric]
}

const METRIC_FORMATS: Record<UsageMetric, MetricFormat> = {
  runs: {
    value: (figures) => figures.run_count,
    text: (figures) => pluralize(figures.run_count, 'run'),
  },
  bytes: { value: (figures) => figures.payload_bytes, text: (figures) => formatBytes(figures.payload_bytes) },
  tokens: {
    value: (figures) => figures.total_tokens,
    text: (figures) => `${formatTokens(figures.total_tokens)} tokens`,
  },
  cost: {
    value: (figures) => Number(figures.total_cost ?? 0),
    text: ({ total_cost, reported_cost, unpriced_fees }) =>
      printMarkedCost({ total: total_cost, reported: reported_cost, fees: unpriced_fees }),
  },
}

export interface ProjectTableProps {
  tenant: string
  /** Length of the time range; links to runs use the same one. */
  days: string
  projects: UsageReport['projects']
  /** The project whose days are shown above. */
  chosen: string | undefined
  onChoose: (projectId: string) => void
}

/** Usage by project, most bytes first. */
export function ProjectTable({ tenant, days, projects, chosen, onChoose }: ProjectTableProps) {
  return (
    <section aria-labelledby="by-project" className="rounded-card border border-border bg-surface">
      <h2 id="by-project" className="px-3 py-2 text-form font-semibold">
        By project
      </h2>
      {projects.length === 0 ? (
        <p className="px-3 pb-3 text-row text-fg-muted">No data in this range</p>
      ) : (
        <table className="w-full text-left text-row">
          <thead className="border-y border-border text-meta text-fg-subtle">
            <tr className="h-7">
              <th scope="col" className="px-3 font-normal">
                Project
              </th>
              <FigureHeads />
              <th scope="col">
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {projects.map((project) => (
              <tr key={project.session_id} className="h-9 border-b border-border last:border-b-0 hover:bg-hover">
                <th scope="row" className="max-w-60 truncate px-3 font-medium max-sm:w-full max-sm:max-w-0">
                  <Link
                    to="/o/$tenant/projects/p/$projectId"
                    params={{ tenant, projectId: project.session_id }}
                    search={{ t: `${days}d` }}
                    className="hover:underline"
                  >
                    {project.session_name}
                  </Link>
                </th>
                <FigureCells figures={project} />
                <td className="px-3 text-right max-sm:pl-0">
                  <Button
                    aria-pressed={chosen === project.session_id}
                    aria-label={`Show days of ${project.session_name}`}
                    onClick={() => onChoose(project.session_id)}
                    className="aria-pressed:border-accent aria-pressed:bg-selected"
                  >
                    Show days
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

const FIGURE_HEADS = ['Traces', 'Runs', 'Bytes', 'Tokens', 'Cost'] as const
const HIDDEN: Readonly<Record<string, string>> = {
  Traces: 'max-xl:hidden',
  Bytes: 'max-sm:hidden',
  Tokens: 'max-sm:hidden',
}

/** The five figures of a row. Narrow pages leave out traces, phones also bytes and tokens. */
export function FigureCells({ figures }: { figures: UsageFigures }) {
  return (
    <>
      <td className="num whitespace-nowrap px-3 max-xl:hidden">{formatCount(figures.trace_count)}</td>
      <td className="num whitespace-nowrap px-3 max-sm:px-2">{formatCount(figures.run_count)}</td>
      <td className="num whitespace-nowrap px-3 max-sm:hidden">{formatBytes(figures.payload_bytes)}</td>
      <td className="num whitespace-nowrap px-3 max-sm:hidden">{formatTokens(figures.total_tokens)}</td>
      <td className="num whitespace-nowrap px-3 max-sm:px-2">
        <CostText
          total={figures.total_cost}
          reported={figures.reported_cost}
          fees={figures.unpriced_fees}
          unknown="No model with a known price was used"
        />
      </td>
    </>
  )
}

export function FigureHeads() {
  return FIGURE_HEADS.map((title) => (
    <th key={title} scope="col" className={`num px-3 font-normal max-sm:px-2 ${HIDDEN[title] ?? ''}`}>
      {title}
    </th>
  ))
}

/** The bars as figures, newest day first, without days that have no runs. */
export function DayTable({ days }: { days: UsageReport['days'] }) {
  const busy = days.filter((day) => day.run_count > 0).toReversed()
  if (busy.length === 0) return null
  return (
    <section aria-labelledby="by-day" className="rounded-card border border-border bg-surface">
      <h2 id="by-day" className="px-3 py-2 text-form font-semibold">
        By day
      </h2>
      <table className="w-full text-left text-row">
        <thead className="border-y border-border text-meta text-fg-subtle">
          <tr className="h-7">
            <th scope="col" className="px-3 font-normal">
              Day
            </th>
            <FigureHeads />
          </tr>
        </thead>
        <tbody>
          {busy.map((day) => (
            <tr key={day.day} className="h-7 border-b border-border last:border-b-0 hover:bg-hover">
              <th scope="row" className="px-3 font-normal tabular-nums">
                {day.day}
              </th>
              <FigureCells figures={day} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Disk usage of the server by store. */
export function StorageSection({ storage }: { storage: StorageReport }) {
  const { disk, relational_bytes, analytics_bytes, blobs } = storage
  const rows: readonly (readonly [string, string])[] = [
    ['Free disk space', `${formatBytes(disk.free_bytes)} of ${formatBytes(disk.total_bytes)}`],
    ['Runs and feedback', sizeOrUnknown(analytics_bytes)],
    ['Datasets, prompts and settings', sizeOrUnknown(relational_bytes)],
    ['Attachments', blobs ? `${formatBytes(blobs.bytes)} in ${pluralize(blobs.count, 'file')}` : 'Not measured yet'],
    ...(blobs && blobs.unreferenced_count > 0
      ? [['Attachments waiting for removal', formatBytes(blobs.unreferenced_bytes)] as const]
      : []),
  ]
  return (
    <section aria-labelledby="storage" className="rounded-card border border-border bg-surface">
      <h2 id="storage" className="px-4 pt-3 text-form font-semibold">
        Server storage
      </h2>
      {disk.is_low && (
        <p role="alert" className="px-4 pt-1 text-row text-err">
          Disk space is low. Ingest stops when less than 128 MiB are free. Delete traces, shorten the retention or
          enlarge the disk.
        </p>
      )}
      <dl className="mt-2 border-t border-border text-row">
        {rows.map(([label, value]) => (
          <div key={label} className="flex min-h-9 items-center gap-4 border-b border-border px-4 py-1 last:border-b-0">
            <dt className="min-w-0 flex-1 text-fg-muted">{label}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function sizeOrUnknown(bytes: number | null): string {
  return bytes === null ? 'Unknown' : formatBytes(bytes)
}

import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMay } from '#features/accounts/me.ts'
import { pluralize } from '#lib/format.ts'
import type { UsageMetric } from '#lib/page-search.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { DayBars } from '#ui/day-bars.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { ErrorState, Skeleton, SkeletonRows } from '#ui/states.tsx'
import { ModelTable } from './model-usage-table.tsx'
import { usageQuery } from './queries.ts'
import { DayTable, getMetricFormat, ProjectTable, StorageSection } from './usage-tables.tsx'

const route = getRouteApi('/o/$tenant/settings/usage')

const RANGES = [
  { value: '7', label: '7 d' },
  { value: '30', label: '30 d' },
  { value: '90', label: '90 d' },
  { value: '365', label: '1 y' },
] as const
const METRIC_NAMES: readonly { value: UsageMetric; label: string }[] = [
  { value: 'runs', label: 'Runs' },
  { value: 'bytes', label: 'Bytes' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'cost', label: 'Cost' },
]

function Storage() {
  const mayRead = useMay('admin')
  const storage = useQuery({ ...usageQuery.storage(), enabled: mayRead })
  if (!mayRead) return null
  if (storage.isPending) return <SkeletonRows rows={4} label="Loading storage" />
  if (storage.isError) {
    const retry = () => void storage.refetch()
    return <ErrorState title="Could not load storage" error={storage.error} onRetry={retry} />
  }
  return <StorageSection storage={storage.data} />
}

/** Usage of the workspace by day (UTC) and by project. */
export function UsagePage() {
  const { tenant } = route.useParams()
  const { days, metric, project, sort } = route.useSearch()
  const navigate = route.useNavigate()
  const all = useQuery(usageQuery.report(Number(days)))
  const one = useQuery({ ...usageQuery.report(Number(days), project), enabled: project !== undefined })
  const models = useQuery(usageQuery.models(Number(days), project))
  const shown = project === undefined ? all : one
  const name = all.data?.projects.find(({ session_id }) => session_id === project)?.session_name
  const { text, value } = getMetricFormat(metric)
  return (
    <PageFrame
      title="Usage"
      toolbar={
        <>
          <Segmented
            label="Range"
            value={days}
            onChange={(next) => void navigate({ search: (kept) => ({ ...kept, days: next }) })}
            options={RANGES}
          />
          <Segmented
            label="Metric"
            value={metric}
            onChange={(next) => void navigate({ search: (kept) => ({ ...kept, metric: next }) })}
            options={METRIC_NAMES}
          />
        </>
      }
      status={all.data && <span>{pluralize(all.data.projects.length, 'project')} with runs; days in UTC</span>}
    >
      <div className="min-h-0 flex-1 overflow-auto p-3 sm:p-6">
        {(all.isPending || shown.isPending) && <SkeletonRows rows={8} label="Loading usage" />}
        {shown.isError && (
          <ErrorState title="Could not load usage" error={shown.error} onRetry={() => void shown.refetch()} />
        )}
        {all.data && shown.data && (
          <div className="flex max-w-6xl flex-col gap-4">
            <section aria-label="Total and chart" className="rounded-card border border-border bg-surface p-4">
              <div className="mb-3 flex flex-wrap items-baseline gap-x-3">
                <h2 className="text-stat">{text(shown.data.total)}</h2>
                <p className="min-w-0 truncate text-row text-fg-muted">
                  {project === undefined ? 'in all projects' : `in ${name ?? 'this project'}`}
                </p>
              </div>
              <DayBars
                label={`${METRIC_NAMES.find((one) => one.value === metric)?.label} by day`}
                bars={shown.data.days.map((day) => ({ day: day.day, value: value(day), text: text(day) }))}
              />
            </section>
            <ProjectTable
              tenant={tenant}
              days={days}
              projects={all.data.projects}
              chosen={project}
              onChoose={(id) =>
                void navigate({ search: (kept) => ({ ...kept, project: kept.project === id ? undefined : id }) })
              }
            />
            {models.isError && (
              <ErrorState
                compact
                title="Could not load usage by model"
                error={models.error}
                onRetry={() => void models.refetch()}
              />
            )}
            {models.isPending && <Skeleton className="h-44" />}
            {models.data && (
              <ModelTable
                tenant={tenant}
                report={models.data}
                sort={sort}
                onSort={(next) => void navigate({ search: (kept) => ({ ...kept, sort: next }), replace: true })}
              />
            )}
            <div className="grid items-start gap-4 2xl:grid-cols-2">
              <DayTable days={shown.data.days} />
              <Storage />
            </div>
          </div>
        )}
      </div>
    </PageFrame>
  )
}

import { useQuery } from '@tanstack/react-query'
import type { Bucket, RunGrouping } from '@touchstone/contract'
import { formatCount, formatLatency, formatRate, formatTokens, pluralize } from '#lib/format.ts'
import { printTimeRange } from '#lib/time/time-range.ts'
import { CostText } from '#ui/cost-text.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { PopoverAt } from '#ui/popover-layer.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { type ChartData, OTHER, toBucketRange, toGroupFilter } from '../logic/chart.ts'
import { type ChartRuns, monitorQuery } from '../queries.ts'
import { RunsLink, useChartContext } from './chart-context.tsx'

export interface PointMenuProps {
  index: number
  /** Id of the selected line; empty in the table, where a row stands for all groups. */
  line: string
  x: number
  y: number
  runs: ChartRuns
  group: RunGrouping | undefined
  picture: ChartData
  bucket: Bucket
  /** The bucket as text. */
  name: string
  /** Opens the list of groups without a line. */
  onList: () => void
  onClose: () => void
}

/** Menu of a data point with links to its runs. */
export function PointMenu(props: PointMenuProps) {
  const { index, line, x, y, picture, name, onClose, group } = props
  const lines = group === undefined ? [] : picture.lines.filter(({ id }) => line === '' || id === line)
  return (
    <PopoverAt label={name} x={x} y={y} onClose={onClose}>
      <p className="px-2 pb-1 text-meta text-fg-muted">{name}</p>
      {group === undefined ? (
        <RunLinks {...props} id="all" condition={undefined} />
      ) : (
        lines.map((one) =>
          one.values[index] === null ? null : (
            <section key={one.id} aria-label={one.label} className="border-t border-border py-1 first-of-type:border-0">
              <p className="max-w-64 truncate px-2 text-row font-medium">{one.label}</p>
              {one.group === OTHER || one.group === undefined ? (
                <button type="button" onClick={props.onList} className={MENU_LINK}>
                  Show these groups
                </button>
              ) : (
                <RunLinks {...props} id={one.id} condition={toGroupFilter(group, one.group)} />
              )}
            </section>
          ),
        )
      )}
    </PopoverAt>
  )
}

function RunLinks({
  id,
  condition,
  index,
  picture,
  bucket,
  runs,
}: PointMenuProps & { id: string; condition: string | undefined }) {
  const { window } = useChartContext()
  const point = picture.points.get(id)?.[index]
  const time = picture.times[index]
  if (!point || time === undefined) return null
  const t = toBucketRange(time, bucket, window.bounds)
  const slow = point.latency_p95
  return (
    <ul>
      <li>
        <RunsLink runs={runs} t={t} conditions={[condition]} className={MENU_LINK}>
          Open {pluralize(point.run_count, 'run')}
        </RunsLink>
      </li>
      {slow !== null && point.run_count > 1 && (
        <li>
          <RunsLink runs={runs} t={t} conditions={[condition, `gte(latency, ${slow})`]} className={MENU_LINK}>
            Slowest, over {formatLatency(slow * 1000)}
          </RunsLink>
        </li>
      )}
      {point.error_count > 0 && (
        <li>
          <RunsLink runs={runs} t={t} conditions={[condition, 'eq(status, "error")']} className={MENU_LINK}>
            Failed {formatCount(point.error_count)}
          </RunsLink>
        </li>
      )}
    </ul>
  )
}

const MENU_LINK =
  'flex h-7 w-full items-center rounded-control px-2 text-left text-row text-accent hover:bg-hover hover:underline coarse:h-10'

interface OtherGroupsProps {
  runs: ChartRuns
  group: RunGrouping
  bucket: Bucket
  onClose: () => void
}

/** Groups that share the "Other" line, each with its figures and a link to its runs. */
export function OtherGroups({ runs, group, bucket, onClose }: OtherGroupsProps) {
  const { window } = useChartContext()
  const read = useQuery(monitorQuery.otherGroups(runs, window.bounds, group, bucket))
  const t = printTimeRange(window.bounds.from, window.bounds.to)
  const rest = read.data?.other?.run_count ?? 0
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Other groups" width="max-w-2xl">
      {read.isPending && <SkeletonRows rows={6} label="Loading groups" />}
      {read.isError && <ErrorState compact title="Could not load groups" error={read.error} />}
      {read.data && (
        <table className="w-full text-row tabular-nums">
          <caption className="sr-only">Groups without a line of their own, the largest first</caption>
          <thead className="text-meta text-fg-subtle">
            <tr>
              <th scope="col" className="py-1 text-left font-normal">
                Group
              </th>
              {['Runs', 'Error rate', 'Tokens', 'Cost'].map((head) => (
                <th key={head} scope="col" className="py-1 pl-3 text-right font-normal">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {read.data.series.map(({ group: value, run_count, points }) => {
              const failed = points.reduce((sum, point) => sum + point.error_count, 0)
              const tokens = points.reduce((sum, point) => sum + point.total_tokens, 0)
              const [cost, reported] = (['total_cost', 'reported_cost'] as const).map((name) => {
                const costs = points.flatMap((point) => point[name] ?? [])
                return costs.length === 0 ? null : costs.reduce((sum, one) => sum + one, 0)
              })
              const fees = points.reduce((sum, point) => sum + (point.unpriced_fees ?? 0), 0)
              return (
                <tr key={value ?? ''} className="border-t border-border">
                  <th scope="row" className="max-w-64 truncate py-1 text-left font-normal">
                    <RunsLink
                      runs={runs}
                      t={t}
                      conditions={[toGroupFilter(group, value)]}
                      className="text-accent hover:underline"
                    >
                      {value ?? 'none'}
                    </RunsLink>
                  </th>
                  <td className="pl-3 text-right">{formatCount(run_count)}</td>
                  <td className="pl-3 text-right">{formatRate(run_count === 0 ? null : failed / run_count)}</td>
                  <td className="pl-3 text-right">{formatTokens(tokens)}</td>
                  <td className="pl-3 text-right">
                    <CostText total={cost} reported={reported} fees={fees} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
      {rest > 0 && (
        <p className="pt-2 text-row text-fg-muted">{pluralize(rest, 'run is', 'runs are')} in smaller groups.</p>
      )}
    </Dialog>
  )
}

import type { Bucket, RunGrouping } from '@touchstone/contract'
import type { ChartRuns } from '#data/monitor.ts'
import { formatCount, formatLatency } from '#lib/format/format.ts'
import { rangeOfBucket } from '#lib/monitor/buckets.ts'
import { filterOfGroup } from '#lib/monitor/drill-down.ts'
import { OTHER, type Picture } from '#lib/monitor/picture.ts'
import { PopoverAt } from '#ui/popover-at.tsx'
import { useChartContext } from './chart-scene.ts'
import { RunsLink } from './runs-link.tsx'

export interface PointMenuProps {
  index: number
  /** The line that was meant; of a row of the table, every group. */
  line: string
  x: number
  y: number
  runs: ChartRuns
  group: RunGrouping | undefined
  picture: Picture
  bucket: Bucket
  /** The bucket in words. */
  name: string
  /** Lists the groups without a line. */
  onList: () => void
  onClose: () => void
}

/** What stands behind a mark, each with the way to exactly those runs. */
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
                  List these groups
                </button>
              ) : (
                <RunLinks {...props} id={one.id} condition={filterOfGroup(group, one.group)} />
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
  if (!point) return null
  const t = rangeOfBucket(picture.times[index]!, bucket, window.bounds)
  const slow = point.latency_p95
  return (
    <ul>
      <li>
        <RunsLink runs={runs} t={t} conditions={[condition]} className={MENU_LINK}>
          Open {formatCount(point.run_count)} {point.run_count === 1 ? 'run' : 'runs'}
        </RunsLink>
      </li>
      {slow !== null && point.run_count > 1 && (
        <li>
          <RunsLink runs={runs} t={t} conditions={[condition, `gte(latency, ${slow})`]} className={MENU_LINK}>
            Slowest, from {formatLatency(slow * 1000)}
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

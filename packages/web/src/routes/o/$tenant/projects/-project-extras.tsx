import { useQuery } from '@tanstack/react-query'
import { usageQuery } from '#data/usage.ts'
import { formatCount, formatScore } from '#lib/format.ts'
import { printSearch } from '#lib/search-schema.ts'
import { toBounds } from '#lib/time/time-range.ts'
import { LightLink } from '#ui/light-link.tsx'
import type { ProjectRow } from './-use-projects.tsx'

const WIDTH = 72
const HEIGHT = 18

/** Traces of a project over the time range, as a sparkline. One request serves all rows. */
export function ProjectActivity({ row, t }: { row: ProjectRow; t: string }) {
  const since = toBounds(t, Date.now()).from
  const activity = useQuery({ ...usageQuery.activity(since ?? '', t), enabled: since !== undefined })
  const counts = activity.data?.get(row.project.id)
  return counts ? <Sparkline counts={counts} label={`Activity of ${row.project.name}`} /> : null
}

function Sparkline({ counts, label }: { counts: readonly number[]; label: string }) {
  const peak = Math.max(...counts, 1)
  const step = WIDTH / counts.length
  const barAt = (count: number, at: number) => {
    const height = count === 0 ? 0 : Math.max((count / peak) * HEIGHT, 1.5)
    return `M${at * step} ${HEIGHT}v${-height}h${Math.max(step - 1, 1)}v${height}z`
  }
  const total = counts.reduce((sum, count) => sum + count, 0)
  return (
    <svg
      role="img"
      aria-label={`${label}: ${formatCount(total)} traces, peak ${formatCount(peak)}`}
      width={WIDTH}
      height={HEIGHT}
      className="inline-block align-middle"
    >
      <path d={counts.map(barAt).join('')} fill="var(--series-slate)" />
    </svg>
  )
}

const MAX_KEYS = 2

/** Averages of the feedback keys with the most records, each linked to its runs. */
export function FeedbackMeans({ row, tenant, t }: { row: ProjectRow; tenant: string; t: string }) {
  const keys = Object.entries(row.stats?.feedback_stats ?? {})
    .filter(([, stat]) => stat.avg != null)
    .sort(([, one], [, other]) => other.n - one.n)
  const more = keys.length - MAX_KEYS
  return (
    <span className="flex gap-2">
      {keys.slice(0, MAX_KEYS).map(([key, stat]) => (
        <LightLink
          key={key}
          href={`/o/${tenant}/projects/p/${row.project.id}${printSearch({ t, filter: `eq(feedback_key, ${JSON.stringify(key)})` })}`}
          tabIndex={-1}
          title={`${key}: average ${stat.avg} of ${formatCount(stat.n)}`}
          className="flex min-w-0 gap-1 hover:underline"
        >
          <span className="truncate text-fg-muted">{key}</span>
          <span className="num shrink-0">{formatScore(stat.avg)}</span>
        </LightLink>
      ))}
      {more > 0 && (
        <span
          className="text-fg-subtle"
          title={keys
            .slice(MAX_KEYS)
            .map(([key]) => key)
            .join(', ')}
        >
          +{more}
        </span>
      )}
    </span>
  )
}

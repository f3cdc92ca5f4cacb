import { formatCount, formatScore } from '#lib/format.ts'
import { printSearch } from '#lib/search-schema.ts'
import { LightLink } from '#ui/light-link.tsx'
import type { ProjectRow } from './use-projects.tsx'

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

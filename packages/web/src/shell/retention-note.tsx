import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { retentionQuery } from '#data/retention.ts'
import { formatAbsoluteTime } from '#lib/format/format.ts'
import { readIdTime } from '#lib/time/timestamps.ts'

/** Explains on the page of a missing run whether retention deleted it. */
export function RetentionNote({ tenant, projectId, runId }: { tenant: string; projectId: string; runId: string }) {
  const { data } = useQuery(retentionQuery.ofProject(projectId))
  if (!data || data.removes_before === null) return null
  const createdAtMs = readIdTime(runId)
  const wasDeleted = createdAtMs !== undefined && createdAtMs < Date.parse(data.removes_before)
  const days = `${data.effective_days} ${data.effective_days === 1 ? 'day' : 'days'}`
  return (
    <p className="mt-2">
      {wasDeleted
        ? `It started on ${formatDay(new Date(createdAtMs).toISOString())}; this project keeps traces for ${days}, so it was deleted. `
        : `This project keeps traces for ${days} and deletes older ones. `}
      <Link
        to="/o/$tenant/projects/p/$projectId/settings"
        params={{ tenant, projectId }}
        className="text-accent underline"
      >
        Retention
      </Link>
    </p>
  )
}

function formatDay(iso: string): string {
  return formatAbsoluteTime(iso).replace(/ \d\d:.*$/, '')
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { retentionQuery } from '#data/retention.ts'
import { formatAbsoluteTime } from '#lib/format/format.ts'
import { readIdTime } from '#lib/time/timestamps.ts'

/** Where a run is missing: whether it was removed because of its age, or may have been. */
export function RetentionNote({ tenant, projectId, runId }: { tenant: string; projectId: string; runId: string }) {
  const { data } = useQuery(retentionQuery.ofProject(projectId))
  if (!data || data.removes_before === null) return null
  const madeAt = readIdTime(runId)
  const wasRemoved = madeAt !== undefined && madeAt < Date.parse(data.removes_before)
  const days = `${data.effective_days} ${data.effective_days === 1 ? 'day' : 'days'}`
  return (
    <p className="mt-2">
      {wasRemoved
        ? `It began on ${dayOf(new Date(madeAt).toISOString())}; this project keeps traces for ${days}, so it has been removed. `
        : `This project keeps traces for ${days}; older ones are removed. `}
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

function dayOf(iso: string): string {
  return formatAbsoluteTime(iso).replace(/ \d\d:.*$/, '')
}

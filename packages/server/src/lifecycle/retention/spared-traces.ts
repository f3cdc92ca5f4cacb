import type { Deps } from '../../deps.ts'
import { queuedOf } from '../../features/annotation-queues/items/index.ts'
import { sharedTracesOf } from '../../features/sharing/tokens/index.ts'
import { sql, texts, uuid } from '../../storage/analytics/sql.ts'

/**
 * Traces of a project that stay however old they are, because people still look at them: shared with the public, or in an
 * annotation queue, also as part of a thread. Feedback alone keeps nothing: nearly every trace may have some.
 */
export async function sparedTraces(
  deps: Pick<Deps, 'relational' | 'analytics'>,
  tenantId: string,
  projectId: string,
): Promise<string[]> {
  const [shared, queued] = await Promise.all([
    sharedTracesOf(deps, tenantId, projectId),
    queuedOf(deps, tenantId, projectId),
  ])
  const ofThreads =
    queued.threadIds.length === 0
      ? []
      : await deps.analytics.query<{ trace_id: string }>(sql`
          select distinct trace_id from runs final
          where tenant_id = ${uuid(tenantId)} and session_id = ${uuid(projectId)}
            and thread_id in ${texts(queued.threadIds)}`)
  return [...new Set([...shared, ...queued.traceIds, ...ofThreads.map((row) => row.trace_id)])]
}

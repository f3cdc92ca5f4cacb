import { and, eq } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { queueItems } from '../../../storage/relational/tables/annotation-queues.ts'

/** Traces and threads of a project that are in an annotation queue, waiting or done. */
export async function selectQueuedItems(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  projectId: string,
): Promise<{ traceIds: string[]; threadIds: string[] }> {
  const rows = await relational.db
    .select({ trace: queueItems.trace_id, thread: queueItems.thread_id })
    .from(queueItems)
    .where(and(eq(queueItems.tenant_id, tenantId), eq(queueItems.project_id, projectId)))
  const isText = (text: string | null) => text !== null
  return {
    traceIds: [...new Set(rows.map((row) => row.trace).filter(isText))],
    threadIds: [...new Set(rows.map((row) => row.thread).filter(isText))],
  }
}

import { recordDeletion } from '../../../storage/removals/index.ts'
import type { Action } from './action.ts'
import { nextRuns } from './next-runs.ts'

const PAGE = 500

/** Deletes the traces of the next runs, whole. Later pages do not see them again, so each is counted once. */
export const deleteTraces: Action = async (deps, job, wish) => {
  const { views, next } = await nextRuns(deps, job, wish, PAGE)
  const trace_ids = [...new Set(views.map(({ row }) => row.trace_id))]
  // Under the id of the job: each page adds to the same record.
  const about = {
    id: job.id,
    tenantId: job.tenant_id,
    kind: 'traces',
    subject: `${job.total} traces of a query`,
    requestedBy: job.created_by_name ?? undefined,
  } as const
  if (trace_ids.length > 0) {
    await recordDeletion(deps, about, (record) => deps.deleteRuns(job.tenant_id, { trace_ids }, record))
  }
  return { done: trace_ids.length, failures: [], next }
}

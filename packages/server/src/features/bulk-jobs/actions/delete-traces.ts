import { deleteRuns } from '../../run-deletions/index.ts'
import type { Action } from './action.ts'
import { nextRuns } from './next-runs.ts'

const PAGE = 500

/** Deletes the traces of the next runs, whole. Later pages do not see them again, so each is counted once. */
export const deleteTraces: Action = async (deps, job, wish) => {
  const { views, next } = await nextRuns(deps, job, wish, PAGE)
  const trace_ids = [...new Set(views.map(({ row }) => row.trace_id))]
  if (trace_ids.length > 0) await deleteRuns(deps, job.tenant_id, { trace_ids })
  return { done: trace_ids.length, failures: [], next }
}

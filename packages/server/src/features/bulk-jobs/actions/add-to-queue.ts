import { addItems } from '../../annotation-queues/index.ts'
import type { Action } from './action.ts'
import { nextRuns } from './next-runs.ts'

const PAGE = 500

/** Lets the next runs wait in a queue; those that do already stay where they are. */
export const addToQueue: Action = async (deps, job, wish) => {
  const { views, next } = await nextRuns(deps, job, wish, PAGE)
  await addItems(
    deps,
    job.tenant_id,
    wish.queueId!,
    views.map(({ row }) => ({ runId: row.id })),
  )
  return { done: views.length, failures: [], next }
}

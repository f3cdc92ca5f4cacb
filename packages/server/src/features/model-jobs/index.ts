export { aPause } from './job-budget.ts'
export type { JobKindDefinition } from './job-kind.ts'
export type { CallSignals, JobTask, MadeCall, RecordedCall } from './job-task.ts'
export { type ModelJobs, openModelJobs } from './open-model-jobs.ts'
export { isFinal, type Recording, recordCall } from './record-call.ts'
export { type RecordRuns, toCaller } from './record-runs.ts'
export { toStableId } from './stable-id.ts'
export {
  countCalls,
  type JobReference,
  type ListedJob,
  type NewJob,
  selectFailures,
  selectJobs,
  selectOpenJobs,
} from './store.ts'

export { type Job, type JobOptions, type JobRun, type Jobs, openJobs, type SendOptions } from './open-jobs.ts'

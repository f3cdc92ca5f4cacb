import { z } from 'zod'
import * as routes from '../routes.ts'
import { CsvReader } from '../wire/csv.ts'
import { Uuid } from '../wire/ids.ts'
import { historyPage } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'
import { RunConditions } from './runs.ts'

export const BULK_ACTIONS = ['add_to_dataset', 'add_to_queue', 'delete', 'export'] as const
export const BulkAction = z.enum(BULK_ACTIONS)
export type BulkAction = z.infer<typeof BulkAction>

export const RUN_EXPORT_FORMATS = ['jsonl', 'csv', 'parquet'] as const
export const RunExportFormat = z.enum(RUN_EXPORT_FORMATS)
export type RunExportFormat = z.infer<typeof RunExportFormat>

/** The action and its runs: the conditions of `POST /runs/query`, which must name projects, a trace or ids. */
export const BulkStart = RunConditions.extend({
  action: BulkAction,
  /** Counts and returns a sample without starting a job. @default false */
  dry_run: z.boolean().nullish(),
  /** Leaves out runs that started later; a dry run returns a value. @default now */
  as_of: Time.nullish(),
  /** Expected number of traces for `delete`, else of runs. With more of them the request is refused with 409. */
  expected_total: z.int().nonnegative().nullish(),
  /** Of `add_to_dataset`: the dataset that receives the examples. */
  dataset_id: Uuid.nullish(),
  split: z.string().min(1).max(200).nullish(),
  /** Of `add_to_dataset`: top-level keys of the inputs to copy, where a run has them. @default all */
  input_keys: z.array(z.string()).max(200).nullish(),
  /** The same for the outputs. @default all */
  output_keys: z.array(z.string()).max(200).nullish(),
  /** Of `add_to_queue`. */
  queue_id: Uuid.nullish(),
  /** Of `export`. @default jsonl */
  format: RunExportFormat.nullish(),
  /** Of `export` as `csv`. @default cells as stored */
  for: CsvReader.nullish(),
  /** Of `export`: fields of a run, as in `select` of a query. @default those that a query returns */
  select: z.array(z.string()).min(1).max(100).nullish(),
})
  .refine(({ id, session, trace }) => id?.length || session?.length || trace, {
    message: 'Name runs by id, or give session or trace.',
  })
  .refine(({ id }) => (id?.length ?? 0) <= 10_000, { message: 'Give at most 10000 ids; a filter has no such limit.' })
  .refine(({ action, dataset_id, dry_run }) => action !== 'add_to_dataset' || dry_run || dataset_id, {
    message: 'add_to_dataset needs dataset_id.',
  })
  .refine(({ action, queue_id, dry_run }) => action !== 'add_to_queue' || dry_run || queue_id, {
    message: 'add_to_queue needs queue_id.',
  })
export type BulkStart = z.output<typeof BulkStart>

export const BulkSampleRun = z.object({
  id: z.string(),
  trace_id: z.string(),
  name: z.string(),
  run_type: z.string(),
  status: z.string(),
  start_time: z.string(),
  inputs_preview: z.string().nullable(),
  outputs_preview: z.string().nullable(),
  /** Top-level keys of its inputs, for `add_to_dataset`. */
  input_keys: z.array(z.string()).optional(),
  output_keys: z.array(z.string()).optional(),
})
export type BulkSampleRun = z.infer<typeof BulkSampleRun>

/** A bulk action over many runs. */
export const BulkJob = z.object({
  id: z.string(),
  action: z.enum([...BULK_ACTIONS, 'undo', 'reprice', 'restore_costs']),
  /** `waiting` and `running` jobs continue after a restart of the server. */
  status: z.enum(['waiting', 'running', 'done', 'failed', 'cancelled']),
  /** Number of items: traces for `delete`, examples for `undo`, else runs. `restore_costs` undoes a `reprice`. */
  total: z.int(),
  /** Items processed so far, including `failed`. */
  done: z.int(),
  /** Items that could not be processed; the others were. */
  failed: z.int(),
  /** Reason why the whole job stopped. */
  error: z.string().nullable(),
  dataset_id: z.string().nullable(),
  queue_id: z.string().nullable(),
  format: RunExportFormat.nullable(),
  /** Of a finished export: path below the origin, valid for an hour without a key. */
  download_url: z.string().nullable(),
  /** Bytes of the exported file. */
  bytes: z.int().nullable(),
  /** Of `reprice`: the runs that it changed so far, and their costs in US dollars; null when none of these is known. */
  costs: z.object({ changed: z.int(), before: z.string().nullable(), after: z.string().nullable() }).nullable(),
  /** Whether `undo` can still revert the job. */
  can_undo: z.boolean(),
  created_at: z.string(),
  created_by_name: z.string().nullable(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
})
export type BulkJob = z.infer<typeof BulkJob>

export const BulkFailure = z.object({ item_id: z.string(), message: z.string() })

export const BulkJobDetail = BulkJob.extend({
  /** The first 100. */
  failures: z.array(BulkFailure),
})
export type BulkJobDetail = z.infer<typeof BulkJobDetail>

export const BulkAnswer = z.object({
  /** Current count. */
  runs: z.int(),
  /** Their traces; `delete` removes whole traces. */
  traces: z.int(),
  as_of: z.string(),
  /** The newest five. */
  sample: z.array(BulkSampleRun),
  /** Null for a dry run. */
  job: BulkJob.nullable(),
})
export type BulkAnswer = z.infer<typeof BulkAnswer>

const tag = 'bulk jobs'
const extension = true
const path = z.object({ job_id: Uuid })

export const bulkJobRoutes = describeRoutes(routes.bulkJobs, tag, {
  start: {
    extension,
    summary: 'Do something to all runs of a query, as a job; or only count them',
    body: BulkStart,
    answer: BulkAnswer,
  },
  list: {
    extension,
    summary: 'Jobs of the last 30 days, newest first',
    query: z.object(historyPage),
    answer: z.object({ jobs: z.array(BulkJob), total: z.int() }),
  },
  read: {
    extension,
    summary: 'One job with what failed',
    params: path,
    answer: BulkJobDetail,
  },
  cancel: {
    extension,
    summary: 'Stop a job; what it has done stays',
    params: path,
    answer: BulkJob,
  },
  undo: {
    extension,
    summary: 'Take back the examples that a job added, or restore the costs that it changed, as a job',
    params: path,
    answer: BulkJob,
  },
  download: {
    extension,
    summary: 'An exported file, until its signed URL expires',
    params: z.object({ token: z.string() }),
  },
})

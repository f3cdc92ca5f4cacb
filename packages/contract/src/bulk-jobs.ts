import { z } from 'zod'
import { CsvReader } from './csv.ts'
import { Uuid } from './ids.ts'
import { historyPage } from './page.ts'
import { describeRoutes } from './route.ts'
import * as routes from './routes.ts'
import { RunConditions } from './runs.ts'
import { Time } from './time.ts'

export const BULK_ACTIONS = ['add_to_dataset', 'add_to_queue', 'delete', 'export'] as const
export const BulkAction = z.enum(BULK_ACTIONS)
export type BulkAction = z.infer<typeof BulkAction>

export const RUN_EXPORT_FORMATS = ['jsonl', 'csv', 'parquet'] as const
export const RunExportFormat = z.enum(RUN_EXPORT_FORMATS)
export type RunExportFormat = z.infer<typeof RunExportFormat>

/** What to do, and to which runs: the conditions of `POST /runs/query`, which have to name projects, a trace or ids. */
export const BulkStart = RunConditions.extend({
  action: BulkAction,
  /** Count and show, but do nothing. @default false */
  dry_run: z.boolean().nullish(),
  /** Runs that started later are left alone; a dry run answers one. @default now */
  as_of: Time.nullish(),
  /** How many were promised: if there are more by now, it is refused with 409. Traces for `delete`, else runs. */
  expected_total: z.int().nonnegative().nullish(),
  /** Of `add_to_dataset`: where the examples are made, from the inputs and outputs of the runs. */
  dataset_id: Uuid.nullish(),
  split: z.string().min(1).max(200).nullish(),
  /** Of `add_to_dataset`: keys at the top of the inputs that go along, where a run has them. @default all */
  input_keys: z.array(z.string()).max(200).nullish(),
  /** The same of the outputs. @default all */
  output_keys: z.array(z.string()).max(200).nullish(),
  /** Of `add_to_queue`. */
  queue_id: Uuid.nullish(),
  /** Of `export`. @default jsonl */
  format: RunExportFormat.nullish(),
  /** Of `export` as `csv`. @default cells as stored */
  for: CsvReader.nullish(),
  /** Of `export`: fields of a run, as `select` of a query takes them. @default those that a query answers */
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
  /** Keys at the top of its inputs, for `add_to_dataset`. */
  input_keys: z.array(z.string()).optional(),
  output_keys: z.array(z.string()).optional(),
})
export type BulkSampleRun = z.infer<typeof BulkSampleRun>

/** Somebody's work on many runs, for as long as it takes. */
export const BulkJob = z.object({
  id: z.string(),
  action: z.enum([...BULK_ACTIONS, 'undo']),
  /** `waiting` and `running` come to an end by themselves, also when the server restarts. */
  status: z.enum(['waiting', 'running', 'done', 'failed', 'cancelled']),
  /** What it will have looked at: traces for `delete`, examples for `undo`, else runs. */
  total: z.int(),
  /** Looked at so far, `failed` among them. */
  done: z.int(),
  /** Items that could not be treated; the rest was. */
  failed: z.int(),
  /** Why the whole of it stopped. */
  error: z.string().nullable(),
  dataset_id: z.string().nullable(),
  queue_id: z.string().nullable(),
  format: RunExportFormat.nullable(),
  /** Of a finished export: path below the origin, valid for an hour without a key. */
  download_url: z.string().nullable(),
  /** Bytes of the exported file. */
  bytes: z.int().nullable(),
  /** Whether `undo` can still take back what it did. */
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
  /** Counted by the server, now. */
  runs: z.int(),
  /** Traces they belong to; `delete` takes whole ones. */
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
    summary: 'Take back the examples that a job added, as a job',
    params: path,
    answer: BulkJob,
  },
  download: {
    extension,
    summary: 'An exported file, until its signed URL expires',
    params: z.object({ token: z.string() }),
  },
})

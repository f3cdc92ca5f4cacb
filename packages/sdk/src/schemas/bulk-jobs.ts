import type { RunQuery } from '../schemas.ts'

export type BulkAction = 'add_to_dataset' | 'add_to_queue' | 'delete' | 'export'
export type RunExportFormat = 'jsonl' | 'csv' | 'parquet'

/** What to do, and to which runs: the conditions of a query, which have to name projects, a trace or ids. */
export interface BulkStart
  extends Pick<
    RunQuery,
    | 'id'
    | 'session'
    | 'trace'
    | 'parent_run'
    | 'run_type'
    | 'is_root'
    | 'reference_example'
    | 'start_time'
    | 'end_time'
    | 'error'
    | 'query'
    | 'filter'
    | 'trace_filter'
    | 'tree_filter'
  > {
  action: BulkAction
  /** Runs that started later are left alone; what a dry run answered keeps its promise. @default now */
  as_of?: string | undefined
  /** How many were promised: if there are more by now, it is refused with 409. Traces for `delete`, else runs. */
  expected_total?: number | undefined
  /** Of `add_to_dataset`: where the examples are made, from the inputs and outputs of the runs. */
  dataset_id?: string | undefined
  split?: string | undefined
  /** Of `add_to_dataset`: keys at the top of the inputs that go along, where a run has them. @default all */
  input_keys?: string[] | undefined
  /** The same of the outputs. @default all */
  output_keys?: string[] | undefined
  /** Of `add_to_queue`. */
  queue_id?: string | undefined
  /** Of `export`. @default 'jsonl' */
  format?: RunExportFormat | undefined
  /** Of `export` as `csv`: an apostrophe disarms cells that a spreadsheet would take for formulas. @default cells as stored */
  for?: 'spreadsheet' | undefined
  /** Of `export`: fields of a run. @default what stays true of a run when it is read elsewhere */
  select?: string[] | undefined
}

export interface BulkSampleRun {
  id: string
  trace_id: string
  name: string
  run_type: string
  status: string
  start_time: string
  inputs_preview: string | null
  outputs_preview: string | null
  /** Keys at the top of its inputs, for `add_to_dataset`. */
  input_keys?: string[] | undefined
  output_keys?: string[] | undefined
}

/** Counted by the server, when it was asked. */
export interface BulkCount {
  runs: number
  /** Traces they belong to; `delete` takes whole ones. */
  traces: number
  as_of: string
  /** The newest five. */
  sample: BulkSampleRun[]
}

/** Somebody's work on many runs. It comes to an end by itself, also when the server restarts. */
export interface BulkJob {
  id: string
  action: BulkAction | 'undo'
  status: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
  /** What it will have looked at: traces for `delete`, examples for `undo`, else runs. */
  total: number
  /** Looked at so far, `failed` among them. */
  done: number
  /** Items that could not be treated; the rest was. */
  failed: number
  /** Why the whole of it stopped. */
  error: string | null
  dataset_id: string | null
  queue_id: string | null
  format: RunExportFormat | null
  /** Of a finished export: path below the server's origin, valid for an hour without a key. */
  download_url: string | null
  bytes: number | null
  /** Whether `undoJob` can still take back what it did. */
  can_undo: boolean
  created_at: string
  created_by_name: string | null
  started_at: string | null
  ended_at: string | null
}

export interface BulkJobDetail extends BulkJob {
  /** The first 100. */
  failures: { item_id: string; message: string }[]
}

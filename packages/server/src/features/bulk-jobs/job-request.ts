import type { BulkJob, BulkStart, CsvReader, RunConditions, RunExportFormat } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { JobRow } from '../../storage/relational/tables/bulk-jobs.ts'
import { signDownload } from './export-file.ts'

/** The request of a job, as stored with it. */
export interface JobRequest {
  readonly conditions: RunConditions
  readonly datasetId: string | null
  readonly split: string | null
  /** Top-level keys that examples copy from their runs; null, or undefined in old jobs, means all. */
  readonly inputKeys?: readonly string[] | null
  readonly outputKeys?: readonly string[] | null
  readonly queueId: string | null
  readonly format: RunExportFormat
  /** For CSV exports; undefined in old jobs. */
  readonly csvReader?: CsvReader | null
  readonly select: readonly string[] | null
  /** For an undo: the job whose examples are deleted. */
  readonly undoes: string | null
}

/** @param asOf  runs that started later are excluded */
export function toJobRequest(start: BulkStart, asOf: string): JobRequest {
  const { action: _action, dry_run: _dry, as_of: _asOf, expected_total: _total, ...rest } = start
  const { dataset_id, split, input_keys, output_keys, queue_id, format, for: csvReader, select, ...conditions } = rest
  const end_time = conditions.end_time && conditions.end_time < asOf ? conditions.end_time : asOf
  return {
    conditions: { ...conditions, end_time },
    datasetId: dataset_id ?? null,
    split: split ?? null,
    inputKeys: input_keys ?? null,
    outputKeys: output_keys ?? null,
    queueId: queue_id ?? null,
    format: format ?? 'jsonl',
    csvReader: csvReader ?? null,
    select: select ?? null,
    undoes: null,
  }
}

export function readJobRequest({ wish }: Pick<JobRow, 'wish'>): JobRequest {
  return JSON.parse(wish) as JobRequest
}

export async function presentJob(deps: Pick<Deps, 'relational' | 'clock'>, row: JobRow): Promise<BulkJob> {
  const { datasetId, queueId, format } = readJobRequest(row)
  const isFile = row.action === 'export' && row.status === 'done' && row.bytes !== null
  return {
    id: row.id,
    action: row.action,
    status: row.status,
    total: row.total,
    done: row.done,
    failed: row.failed,
    error: row.error,
    dataset_id: datasetId,
    queue_id: queueId,
    format: row.action === 'export' ? format : null,
    download_url: isFile ? await signDownload(deps, row, format) : null,
    bytes: isFile ? row.bytes : null,
    can_undo: row.action === 'add_to_dataset' && row.ended_at !== null && !row.is_undone && row.done > row.failed,
    created_at: row.created_at,
    created_by_name: row.created_by_name,
    started_at: row.started_at,
    ended_at: row.ended_at,
  }
}

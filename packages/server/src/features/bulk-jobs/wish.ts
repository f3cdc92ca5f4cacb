import type { BulkStart, CsvReader, RunConditions, RunExportFormat } from '@touchstone/contract'
import type { JobRow } from '../../storage/relational/tables/bulk-jobs.ts'

/** What a job was asked for, as it is kept with it. */
export interface Wish {
  readonly conditions: RunConditions
  readonly datasetId: string | null
  readonly split: string | null
  /** Top keys that examples take of their runs; null or, in jobs of old, undefined for all. */
  readonly inputKeys?: readonly string[] | null
  readonly outputKeys?: readonly string[] | null
  readonly queueId: string | null
  readonly format: RunExportFormat
  /** Of an export as CSV; undefined in old jobs. */
  readonly csvReader?: CsvReader | null
  readonly select: readonly string[] | null
  /** Of an undo: the job whose examples are taken back. */
  readonly undoes: string | null
}

/** @param asOf  runs that started later are left alone */
export function wishOf(start: BulkStart, asOf: string): Wish {
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

export function readWish({ wish }: Pick<JobRow, 'wish'>): Wish {
  return JSON.parse(wish) as Wish
}

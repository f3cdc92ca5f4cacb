import type { BulkJob } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { JobRow } from '../../storage/relational/tables/bulk-jobs.ts'
import { signDownload } from './export-file.ts'
import { readWish } from './wish.ts'

export async function presentJob(deps: Pick<Deps, 'relational' | 'clock'>, row: JobRow): Promise<BulkJob> {
  const { datasetId, queueId, format } = readWish(row)
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

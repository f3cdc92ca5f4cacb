import type { RunDeletion } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { DeletionRecord } from '../../storage/record-deletion.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { JobRow } from '../../storage/relational/tables/lifecycle.ts'
import { parseCursor, type RunView, readRunViews, whereRuns } from '../runs/index.ts'
import type { RepriceDeps } from './repricing/index.ts'
import type { JobRequest } from './start-job.ts'
import type { Failure } from './store.ts'

export type ActionDeps = Pick<Deps, 'relational' | 'analytics' | 'blobs' | 'clock' | 'ids' | 'config' | 'caches'> &
  RepriceDeps & {
    readonly deleteRuns: (tenantId: string, runs: RunDeletion, record: DeletionRecord) => Promise<number>
  }

/** The result of one page of a job. */
export interface PageResult {
  /** Processed items, including failed ones. */
  readonly done: number
  readonly failures: readonly Failure[]
  /** Cursor of the next page; absent at the end. */
  readonly next: string | undefined
  /** For an export: durable bytes of the file. */
  readonly bytes?: number
  /** Written together with the progress. */
  readonly note?: (tx: Database) => Promise<void>
}

/** Processes the next items of a job; may be called again for the same items after a crash. */
export type Action = (deps: ActionDeps, job: JobRow, request: JobRequest) => Promise<PageResult>

/** The next runs of a job, newest first, and the cursor of the runs after them. */
export async function readNextRuns(
  deps: ActionDeps,
  { tenant_id, cursor }: JobRow,
  { conditions }: JobRequest,
  limit: number,
  fields: ReadonlySet<string> = NO_FIELDS,
): Promise<{ readonly views: readonly RunView[]; readonly next: string | undefined }> {
  const where = whereRuns(tenant_id, conditions, cursor === null ? undefined : parseCursor(cursor))
  return readRunViews(deps, tenant_id, where, fields, { ...conditions, limit, order: 'desc' })
}

const NO_FIELDS: ReadonlySet<string> = new Set()

/** The id of the dataset, queue or job that an action needs, which its request contains. */
export function assertTarget(id: string | null): string {
  if (id === null) throw new Error('The request of the job has no target.')
  return id
}

import type { RunDeletion } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Database } from '../../../storage/relational/port.ts'
import type { JobRow } from '../../../storage/relational/tables/bulk-jobs.ts'
import type { DeletionRecord } from '../../../storage/removals/index.ts'
import type { Failure } from '../store.ts'
import type { Wish } from '../wish.ts'

export type ActionDeps = Pick<Deps, 'relational' | 'analytics' | 'blobs' | 'clock' | 'ids' | 'config'> & {
  readonly deleteRuns: (tenantId: string, runs: RunDeletion, record: DeletionRecord) => Promise<number>
}

/** What a part of a job did. */
export interface Treated {
  /** Items looked at, those that failed among them. */
  readonly done: number
  readonly failures: readonly Failure[]
  /** Where the next part begins; absent at the end. */
  readonly next: string | undefined
  /** Of an export: bytes of the file that are safe now. */
  readonly bytes?: number
  /** Written together with the progress. */
  readonly note?: (tx: Database) => Promise<void>
}

/** Treats the next items of a job; may be called again for the same ones after a crash. */
export type Action = (deps: ActionDeps, job: JobRow, wish: Wish) => Promise<Treated>

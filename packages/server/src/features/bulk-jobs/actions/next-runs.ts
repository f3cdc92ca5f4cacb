import type { JobRow } from '../../../storage/relational/tables/bulk-jobs.ts'
import { parseCursor, type RunView, readRunViews, whereRuns } from '../../runs/index.ts'
import type { Wish } from '../wish.ts'
import type { ActionDeps } from './action.ts'

/** The next runs of a job, newest first, and where those after them begin. */
export async function nextRuns(
  deps: ActionDeps,
  { tenant_id, cursor }: JobRow,
  { conditions }: Wish,
  limit: number,
  fields: ReadonlySet<string> = NONE,
): Promise<{ readonly views: readonly RunView[]; readonly next: string | undefined }> {
  const where = whereRuns(tenant_id, conditions, cursor === null ? undefined : parseCursor(cursor))
  return readRunViews(deps, tenant_id, where, fields, { ...conditions, limit, order: 'desc' })
}

const NONE: ReadonlySet<string> = new Set()

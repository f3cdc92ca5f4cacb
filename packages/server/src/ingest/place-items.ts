import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import { DEFAULT_PROJECT, moveProjectStarts, resolveProject } from '../features/projects/index.ts'
import type { AnswerCache } from '../storage/analytics/changes.ts'
import { sql, uuid, uuids } from '../storage/analytics/sql.ts'
import { columns, number, text } from '../storage/rows.ts'
import { groupByTenant, type IngestItem } from './ingest-item.ts'
import { resolveProjects } from './place-writes.ts'
import { WAS_DELETED } from './write-runs.ts'

type PlaceDeps = Pick<Deps, 'analytics' | 'relational' | 'clock' | 'ids' | 'caches'> & {
  /** Whether a workspace has deleted runs. */
  readonly deletions: AnswerCache<boolean>
  /** Whether the store lacks writes, or learns itself which runs are deleted before a request is answered. */
  readonly isBehind: () => boolean
}

export interface PlacedItems {
  readonly ready: readonly IngestItem[]
  /** The item as it was given, by the one that is stored instead of it. */
  readonly sources: ReadonlyMap<IngestItem, IngestItem>
  readonly problems: Map<IngestItem, string>
}

type RunItem = Extract<IngestItem, { readonly kind: 'run' }>

/**
 * Finds the project of each run, whose start moves back to that of the run, and updates of deleted runs, while the sender can still learn of a problem. What the writer
 * needs of the relational store is read here.
 */
export async function placeItems(deps: PlaceDeps, items: readonly IngestItem[]): Promise<PlacedItems> {
  const problems = new Map<IngestItem, string>()
  const sources = new Map<IngestItem, IngestItem>()
  const needsPlace = (item: IngestItem): item is RunItem => item.kind === 'run' && item.write.costs === undefined
  const ready: IngestItem[] = items.filter((item) => !needsPlace(item))
  const receivedAt = timeOfEpochMs(deps.clock())
  for (const [tenantId, runs] of groupByTenant(items.filter(needsPlace))) {
    const writes = runs.map(({ write }) => write)
    await deps.caches.threadKeys.load(deps, tenantId)
    const { sessions, refused } = await resolveProjects(deps, tenantId, writes)
    const defaultSessionId = writes.every((write) => sessions.has(write))
      ? undefined
      : await resolveProject(deps, tenantId, { name: DEFAULT_PROJECT })
    const deleted = await findDeleted(deps, tenantId, runs)
    const starts = new Map<string, string>()
    for (const given of runs) {
      const source = given.write
      const problem = refused.get(source) ?? (deleted.has(source.id) ? `run ${source.id} ${WAS_DELETED}` : undefined)
      if (problem !== undefined) {
        problems.set(given, problem)
        continue
      }
      const sessionId = sessions.get(source)
      const project = sessionId === undefined ? { defaultSessionId } : { sessionId }
      const item: IngestItem = { kind: 'run', tenantId, write: { ...source, ...project, receivedAt } }
      sources.set(item, given)
      ready.push(item)
      noteStart(starts, sessionId ?? (source.kind === 'post' ? defaultSessionId : undefined), source.startTime)
    }
    await moveProjectStarts(deps, tenantId, starts)
  }
  return { ready, sources, problems }
}

/** Times are in the printed form, which sorts like the times. An update that names no project may be of a run in any. */
function noteStart(starts: Map<string, string>, projectId: string | undefined, start: string | undefined): void {
  if (projectId === undefined || start === undefined) return
  const earliest = starts.get(projectId)
  if (earliest === undefined || start < earliest) starts.set(projectId, start)
}

const RUN_STATE = columns({ id: text, is_deleted: number })
const ANY_ROW = columns({ n: number })

/**
 * Runs that are only updated and were deleted. Finds none while the store lacks writes, which may create the run again;
 * then a late update is reported by a receipt.
 */
async function findDeleted(
  { analytics, deletions, isBehind }: PlaceDeps,
  tenantId: string,
  runs: readonly RunItem[],
): Promise<ReadonlySet<string>> {
  const created = new Set(runs.filter(({ write }) => write.kind === 'post').map(({ write }) => write.id))
  const updated = new Set(runs.map(({ write }) => write.id).filter((id) => !created.has(id)))
  if (updated.size === 0 || isBehind()) return new Set()
  const hasDeletions = await deletions.get(tenantId, async () => {
    const rows = await analytics.query(
      sql`select 1 as n from run_keys where tenant_id = ${uuid(tenantId)} and is_deleted = 1 limit 1`,
      ANY_ROW,
    )
    // Inserts into `runs` fill the table, so only deletions are recorded under its own name.
    return { value: rows.length > 0, tables: ['run_keys'] }
  })
  if (!hasDeletions) return new Set()
  const states = await analytics.query(
    sql`
      select id, is_deleted from run_keys
      where tenant_id = ${uuid(tenantId)} and id in ${uuids([...updated])}
      order by version desc
      limit 1 by id`,
    RUN_STATE,
  )
  return new Set(states.filter(({ is_deleted }) => is_deleted === 1).map(({ id }) => id))
}

import { parseUuid, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import { sql, uuid, uuids } from '../storage/analytics/sql.ts'
import { columns, type RowOf, text } from '../storage/rows.ts'
import type { PendingWrite } from './place-writes.ts'
import type { RunWrite } from './run-write.ts'
import type { StoredRun } from './stored-runs.ts'

/**
 * The sortable path of a run: segments `YYYYMMDDTHHMMSSffffffZ{uuid}` joined by dots, root first, the run itself last.
 */
export interface RunPath {
  readonly ids: readonly string[]
  /** Time of the last segment in the contract's printed form; old clients send three fractional digits. */
  readonly startTime: string | undefined
}

const SEGMENT = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{0,6})Z([0-9a-fA-F-]{32,36})$/

/** `undefined` when the text is not a dotted order. */
export function parseDottedOrder(text: string): RunPath | undefined {
  const ids: string[] = []
  let startTime: string | undefined
  for (const segment of text.split('.')) {
    const match = SEGMENT.exec(segment)
    const id = match === null ? undefined : parseUuid(match[8])
    if (match === null || id === undefined) return undefined
    ids.push(id)
    const [, year, month, day, hour, minute, second, fraction = ''] = match
    startTime = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(6, '0')}Z`
  }
  return { ids, startTime }
}

/** Returns one segment for a run that came without a dotted order. */
export function toPathSegment(startTime: string, id: string): string {
  return `${startTime.replace(/[-:.]/g, '').slice(0, 21)}Z${id}`
}

type PathDeps = Pick<Deps, 'analytics' | 'clock'>

/** Sets the path of runs that came with a parent but without a path, if this block or the store has the parent. */
export async function completePaths(
  deps: PathDeps,
  tenantId: string,
  pending: readonly PendingWrite[],
  stored: ReadonlyMap<string, StoredRun>,
): Promise<readonly PendingWrite[]> {
  const parents = new Set<string>()
  for (const { write } of pending) if (lacksPath(write, stored)) parents.add(write.parentRunId)
  if (parents.size === 0) return pending
  const paths = await readPaths(deps, tenantId, parents)
  // A root that comes later in this block may replace a placeholder.
  for (const { write } of pending) if (parents.has(write.id)) keepPath(paths, write)
  const created = new Set<string>()
  return pending.map(({ source, write }) => {
    const isUpdateOfBlock = write.kind === 'patch' && created.has(write.id)
    const parent = !isUpdateOfBlock && lacksPath(write, stored) ? paths.get(write.parentRunId) : undefined
    const now = timeOfEpochMs(deps.clock())
    const complete = parent === undefined ? write : placeBelow(parent, write, now)
    if (write.kind === 'post') created.add(write.id)
    if (!keepPath(paths, complete) && isRootWithoutPath(write, stored) && !paths.has(write.id)) {
      // The path that the merge gives it: runs of the same block may name it as their parent.
      const startTime = write.startTime ?? write.receivedAt ?? now
      paths.set(write.id, { trace_id: write.traceId ?? write.id, dotted_order: toPathSegment(startTime, write.id) })
    }
    return { source, write: complete }
  })
}

/** @returns whether the write has a path */
function keepPath(paths: Map<string, StoredPath>, { id, traceId, dottedOrder }: RunWrite): boolean {
  if (traceId === undefined || dottedOrder === undefined) return false
  paths.set(id, { trace_id: traceId, dotted_order: dottedOrder })
  return true
}

function isRootWithoutPath(write: RunWrite, stored: ReadonlyMap<string, StoredRun>): boolean {
  return write.kind === 'post' && typeof write.parentRunId !== 'string' && !hasPath(stored.get(write.id))
}

function lacksPath(
  write: RunWrite,
  stored: ReadonlyMap<string, StoredRun>,
): write is RunWrite & { readonly parentRunId: string } {
  return typeof write.parentRunId === 'string' && write.dottedOrder === undefined && !hasPath(stored.get(write.id))
}

/** Whether the path of a stored run was sent or made by its create; before the create it is a placeholder. */
function hasPath(stored: StoredRun | undefined): boolean {
  return stored !== undefined && (stored.patched.includes('post') || stored.patched.includes('dottedOrder'))
}

const STORED_PATH = columns({ id: text, trace_id: text, dotted_order: text })
type StoredPath = Omit<RowOf<typeof STORED_PATH>, 'id'>

function placeBelow(parent: StoredPath, write: RunWrite, now: string): RunWrite {
  const startTime = write.startTime ?? now
  const dottedOrder = `${parent.dotted_order}.${toPathSegment(startTime, write.id)}`
  return { ...write, startTime, dottedOrder, traceId: parent.trace_id }
}

async function readPaths(
  { analytics }: PathDeps,
  tenantId: string,
  runIds: ReadonlySet<string>,
): Promise<Map<string, StoredPath>> {
  const rows = await analytics.query(
    sql`
      select id, trace_id, dotted_order
      from trace_runs final
      where tenant_id = ${uuid(tenantId)}
        and (trace_id, start_time, id) in (
          select trace_id, start_time, id from run_keys final
          where tenant_id = ${uuid(tenantId)} and id in ${uuids([...runIds])})`,
    STORED_PATH,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

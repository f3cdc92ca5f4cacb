import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import { threadKeysOfProjects } from '../features/projects/index.ts'
import { literal, printedTime, sql, times, uuid, uuids } from '../storage/analytics/sql.ts'
import { TimeSlices } from '../time-slices.ts'
import { insertRows } from './insert-rows.ts'
import { type FindPrice, mergeRun, type PlacedWrite } from './merge-run.ts'
import { placeWrites } from './place-writes.ts'
import { toPathSegment } from './run-path.ts'
import type { RunWrite } from './run-write.ts'
import { type RecentRuns, STORED_RUN_COLUMNS, type StoredRun, type Versions } from './stored-run.ts'

export interface WriteDeps extends Pick<Deps, 'analytics' | 'relational' | 'clock' | 'ids' | 'log'> {
  readonly findPrice: FindPrice
  readonly recent: RecentRuns
  readonly versions: Versions
}

/**
 * Stores writes of one tenant as one block: several writes of a run become one row, merged onto what is stored.
 *
 * @returns per write, a sentence when it could not be stored
 */
export async function writeRuns(
  deps: WriteDeps,
  tenantId: string,
  writes: readonly RunWrite[],
): Promise<(string | undefined)[]> {
  const { placed, problems, defaultSessionId } = await placeWrites(deps, tenantId, writes)
  const { stored, deleted } = await readStored(
    deps,
    tenantId,
    placed.filter((write) => write !== undefined),
  )
  const living = refuseDeleted(placed, deleted, problems)
  const complete = await completePaths(deps, tenantId, living, stored)

  const threadKeys = await threadKeysOfProjects(deps, tenantId, collectProjects(complete, stored, defaultSessionId))
  const now = timeOfEpochMs(deps.clock())
  const slices = new TimeSlices()
  const rows: StoredRun[] = []
  const writesOf: number[][] = []
  for (const [id, at] of groupById(complete)) {
    const before = stored.get(id)
    const context = { tenantId, defaultSessionId, now, findPrice: deps.findPrice, threadKeys }
    // The version of a tombstone stands between that of the row it closes and that of the row that follows.
    const version = deps.versions.after(before?.version ?? deleted.get(id))
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    const row = mergeSafely(
      deps,
      before,
      at.map((index) => complete[index]!),
      { ...context, version: version + 1 },
    )
    if (row === undefined) {
      for (const index of at) problems[index] = 'the run cannot be stored; the log of the server says why'
      continue
    }
    if (before !== undefined && (movedAway(before, row) || leftATable(before, row))) {
      rows.push({ ...toTombstone(before), version })
      writesOf.push(at)
    }
    rows.push(row)
    writesOf.push(at)
  }

  const failures = await insertRows(deps.analytics, 'runs', await print(rows, slices))
  rows.forEach((row, at) => {
    const failure = failures[at]
    if (failure === undefined) {
      if (row.is_deleted === 0) deps.recent.keep(row)
      return
    }
    for (const index of writesOf[at]!) problems[index] = failure
  })
  return problems
}

/** A run on which our own code fails must not cost the others of its block. */
function mergeSafely(deps: WriteDeps, ...args: Parameters<typeof mergeRun>): StoredRun | undefined {
  try {
    return mergeRun(...args)
  } catch (error) {
    deps.log.error({ err: error, run: args[1][0]?.id }, 'a run could not be merged')
    return undefined
  }
}

async function print(rows: readonly StoredRun[], slices: TimeSlices): Promise<string[]> {
  const printed: string[] = []
  for (const row of rows) {
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    printed.push(JSON.stringify(row))
  }
  if (slices.isUsedUp()) await slices.yieldToEventLoop()
  return printed
}

/** Takes out the updates of runs that were deleted; a create brings such a run back, on purpose. */
function refuseDeleted(
  writes: readonly (PlacedWrite | undefined)[],
  deleted: ReadonlyMap<string, string>,
  problems: (string | undefined)[],
): (PlacedWrite | undefined)[] {
  if (deleted.size === 0) return [...writes]
  const created = new Set(writes.filter((write) => write?.kind === 'post').map((write) => write!.id))
  return writes.map((write, at) => {
    if (write === undefined || !deleted.has(write.id) || created.has(write.id)) return write
    problems[at] = `run ${write.id} was deleted; an update does not bring it back`
    return undefined
  })
}

/** Every project that one of the runs may end up in. */
function collectProjects(
  writes: readonly (PlacedWrite | undefined)[],
  stored: ReadonlyMap<string, StoredRun>,
  defaultSessionId: string,
): Set<string> {
  const named = writes.flatMap((write) => write?.sessionId ?? [])
  return new Set([...named, ...[...stored.values()].map((run) => run.session_id), defaultSessionId])
}

function groupById(writes: readonly (PlacedWrite | undefined)[]): Map<string, number[]> {
  const groups = new Map<string, number[]>()
  writes.forEach((write, at) => {
    if (write === undefined) return
    const group = groups.get(write.id)
    if (group === undefined) groups.set(write.id, [at])
    else group.push(at)
  })
  return groups
}

/** Whether the two rows have different sort keys in any of the tables, so that the newer would not replace the older. */
function movedAway(before: StoredRun, after: StoredRun): boolean {
  return (
    before.session_id !== after.session_id ||
    before.start_time !== after.start_time ||
    before.trace_id !== after.trace_id
  )
}

/** Whether the run was in one of the tables that hold some runs only, and no longer belongs there. */
function leftATable(before: StoredRun, after: StoredRun): boolean {
  return (isRoot(before) && !isRoot(after)) || (hasUsage(before) && !hasUsage(after))
}

const isRoot = (row: StoredRun) => row.parent_run_id === null

/** Tokens and costs of all kinds come from one report: a run has some of them, or none. */
function hasUsage(row: StoredRun): boolean {
  return [
    row.total_tokens,
    row.prompt_tokens,
    row.completion_tokens,
    row.total_cost,
    row.prompt_cost,
    row.completion_cost,
  ].some((value) => value !== null)
}

/** Closes a row at its old key; payloads play no part in it. */
function toTombstone(row: StoredRun): StoredRun {
  return { ...row, inputs: '', outputs: '', extra: '', events: '', serialized: '', error: '', is_deleted: 1 }
}

interface RunKey {
  readonly is_deleted: 0 | 1
  readonly id: string
  readonly session_id: string
  readonly start_time: string
  readonly version: string
}

interface Known {
  readonly stored: Map<string, StoredRun>
  /** Versions of tombstones by run. */
  readonly deleted: Map<string, string>
}

/**
 * The stored rows of the runs that are about to be written: from memory where it is current, else from the store. The
 * newest key is chosen here and not by `final`, which would hide the tombstones.
 */
async function readStored(deps: WriteDeps, tenantId: string, writes: readonly PlacedWrite[]): Promise<Known> {
  const ids = [...new Set(writes.map((write) => write.id))]
  const keys = await deps.analytics.query<RunKey>(sql`
    select id, session_id, start_time, version, is_deleted
    from run_keys
    where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)}
    order by version desc
    limit 1 by id`)
  const stored = new Map<string, StoredRun>()
  const deleted = new Map<string, string>()
  const missing: RunKey[] = []
  for (const key of keys) {
    const recent = key.is_deleted ? undefined : deps.recent.find(tenantId, key.id, key.version)
    if (key.is_deleted) deleted.set(key.id, key.version)
    else if (recent !== undefined) stored.set(key.id, recent)
    else missing.push(key)
  }
  for (const row of await readRows(deps, tenantId, missing)) stored.set(row.id, row)
  return { stored, deleted }
}

async function readRows(deps: WriteDeps, tenantId: string, keys: readonly RunKey[]): Promise<StoredRun[]> {
  if (keys.length === 0) return []
  const sessions = uuids(keys.map((key) => key.session_id))
  const starts = times(keys.map((key) => printedTime(key.start_time)))
  return deps.analytics.query<StoredRun>(sql`
    select ${literal(STORED_RUN_COLUMNS.join(', '))}
    from runs final
    where tenant_id = ${uuid(tenantId)}
      and (session_id, start_time, id) in arrayZip(${sessions}, ${starts}, ${uuids(keys.map((key) => key.id))})`)
}

/**
 * Gives runs that came with a parent but without a path their place below it, when the parent is known: in this block or
 * in the store.
 */
async function completePaths(
  deps: WriteDeps,
  tenantId: string,
  writes: readonly (PlacedWrite | undefined)[],
  stored: ReadonlyMap<string, StoredRun>,
): Promise<(PlacedWrite | undefined)[]> {
  const pathless = writes.filter(
    (write): write is PlacedWrite =>
      write?.parentRunId !== undefined && write.dottedOrder === undefined && !hasPath(stored.get(write.id)),
  )
  if (pathless.length === 0) return [...writes]
  const known = await readPaths(deps, tenantId, pathless)
  const isPathless = new Set<PlacedWrite>(pathless)
  return writes.map((write) => {
    if (write === undefined) return undefined
    const parent = isPathless.has(write) ? known.get(write.parentRunId!) : undefined
    const complete = parent === undefined ? write : below(parent, write, timeOfEpochMs(deps.clock()))
    if (complete.dottedOrder !== undefined && complete.traceId !== undefined) {
      known.set(complete.id, { trace_id: complete.traceId, dotted_order: complete.dottedOrder })
    }
    return complete
  })
}

/** A path that somebody sent, or that was made when the create came; before that it is a placeholder. */
function hasPath(stored: StoredRun | undefined): boolean {
  return stored !== undefined && (stored.patched.includes('post') || stored.patched.includes('dottedOrder'))
}

interface Path {
  readonly trace_id: string
  readonly dotted_order: string
}

function below(parent: Path, write: PlacedWrite, now: string): PlacedWrite {
  const startTime = write.startTime ?? now
  const dottedOrder = `${parent.dotted_order}.${toPathSegment(startTime, write.id)}`
  return { ...write, startTime, dottedOrder, traceId: parent.trace_id }
}

async function readPaths(
  deps: WriteDeps,
  tenantId: string,
  writes: readonly PlacedWrite[],
): Promise<Map<string, Path>> {
  const parents = [...new Set(writes.map((write) => write.parentRunId!))]
  const rows = await deps.analytics.query<Path & { id: string }>(sql`
    select id, trace_id, dotted_order
    from trace_runs final
    where tenant_id = ${uuid(tenantId)}
      and (trace_id, start_time, id) in (
        select trace_id, start_time, id from run_keys final
        where tenant_id = ${uuid(tenantId)} and id in ${uuids(parents)})`)
  return new Map(rows.map((row) => [row.id, row]))
}

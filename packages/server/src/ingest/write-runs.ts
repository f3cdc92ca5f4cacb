import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import { moveFeedback } from '../features/feedback/index.ts'
import type { Problems } from '../outcome.ts'
import type { Analytics, InsertRow } from '../storage/analytics/port.ts'
import { StoreFailure } from '../storage/analytics/store-failure.ts'
import { TimeSlices } from '../time-slices.ts'
import { type FindPrice, isCreate, type MergeContext, MISSING_ROOT, mergeRun } from './merge-run.ts'
import type { PendingWrite } from './place-writes.ts'
import { applyCosts } from './price-again.ts'
import { completePaths } from './run-path.ts'
import type { RunWrite } from './run-write.ts'
import { type RecentRuns, readStoredRuns, type StoredRun, type StoredRuns, type Versions } from './stored-runs.ts'

/** Without the relational store: a transaction there may wait for the writer. */
export interface WriteDeps extends Pick<Deps, 'analytics' | 'clock' | 'log' | 'caches'> {
  readonly findPrice: FindPrice
  readonly recent: RecentRuns
  readonly versions: Versions
}

/**
 * Stores writes of one tenant, whose projects are found, as one block: several writes of a run become one row, merged onto
 * the stored row.
 *
 * @returns the writes that could not be stored
 */
export async function writeRuns(
  deps: WriteDeps,
  tenantId: string,
  writes: readonly RunWrite[],
): Promise<Problems<RunWrite>> {
  const all = writes.map((write) => ({ source: write, write }))
  const problems = new Map<RunWrite, string>()
  const costs = all.filter(({ write }) => write.costs !== undefined)
  const pending = costs.length === 0 ? all : all.filter(({ write }) => write.costs === undefined)
  if (pending.some(({ write }) => write.span !== undefined)) await storeSpans(deps, { tenantId, pending, problems })
  else if (pending.length > 0) await storeBlock(deps, { tenantId, pending, problems })
  if (costs.length > 0) await storeCosts(deps, { tenantId, pending: costs, problems })
  return problems
}

/** Stored runs whose place in their trace changes are read with their payloads. */
const MOVED_AT_ONCE = 500

interface Block {
  readonly tenantId: string
  readonly pending: readonly PendingWrite[]
  /** Receives the writes that could not be stored. */
  readonly problems: Map<RunWrite, string>
  /** The store has never had one of the runs, so none is read. @default false */
  readonly areNew?: boolean
  /** New ids of stored runs, whose old ids other runs get in this block. */
  readonly renamed?: ReadonlyMap<string, string> | undefined
}

const NOTHING_STORED: StoredRuns = { stored: new Map(), deleted: new Map() }

/** Stores a block with spans, and changes the stored runs of their traces. Repeated after a crash, it gives the same rows. */
async function storeSpans(deps: WriteDeps, block: Block): Promise<void> {
  const { tenantId } = block
  // Loaded with the first span: a server without OpenTelemetry does not need it.
  const { placeSpans, toAliasRow } = await import('./otlp/tree/place-spans.ts')
  const { pending, moved, renamed, aliases, areNew, withFeedback } = await placeSpans(deps, tenantId, block.pending)
  if (renamed.size > 0) {
    // In one insert, so that a crash never leaves a run under its old and its new id.
    await storeBlock(deps, { ...block, pending: [...pending, ...moved], renamed })
  } else {
    await storeBlock(deps, { ...block, pending, areNew })
    await storeMoved(deps, block, moved)
  }
  const rows = aliases.map((alias) => toAliasRow(alias, tenantId, deps.versions.after()))
  if (rows.length > 0) await insertRows(deps.analytics, 'run_aliases', rows)
  const others = new Set(aliases.filter(({ id, run_id }) => id !== run_id).map(({ id }) => id))
  const spanIds = withFeedback.filter((id) => others.has(id))
  if (spanIds.length === 0) return
  const insert = <Row extends InsertRow>(table: string, given: readonly Row[]) =>
    insertRows(deps.analytics, table, given)
  await moveFeedback({ ...deps, insert }, tenantId, spanIds)
}

async function storeMoved(deps: WriteDeps, block: Block, moved: readonly PendingWrite[]): Promise<void> {
  for (let at = 0; at < moved.length; at += MOVED_AT_ONCE) {
    await storeBlock(deps, { ...block, pending: moved.slice(at, at + MOVED_AT_ONCE) })
  }
}

async function storeBlock(deps: WriteDeps, block: Block): Promise<void> {
  const { tenantId, pending, problems } = block
  const ids = [...pending.map(({ write }) => write.id), ...(block.renamed?.keys() ?? [])]
  const found = block.areNew ? NOTHING_STORED : await readStoredRuns(deps, tenantId, ids)
  const { stored, deleted, left } = renameStored(deps, found, block.renamed)
  const living = refuseDeleted(pending, deleted, problems)
  const complete = await completePaths(deps, tenantId, living, stored)

  const findThreadKeys = (sessionId: string) => deps.caches.threadKeys.of(tenantId, sessionId)
  const now = timeOfEpochMs(deps.clock())
  const slices = new TimeSlices()
  const rows: MergedRow[] = [...left]
  const roots: MergedRow[] = []
  for (const [id, group] of groupById(complete)) {
    const before = stored.get(id)
    const context = { tenantId, now, findPrice: deps.findPrice, findThreadKeys }
    // The version of a tombstone is between those of the row it closes and the row that follows.
    const version = deps.versions.after(before?.version ?? deleted.get(id))
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    const row = mergeSafely(deps, before, group, { ...context, version: version + 1 })
    if (row === undefined) {
      for (const { source } of group) problems.set(source, 'the run cannot be stored; see the log of the server')
      continue
    }
    if (before !== undefined && (hasMoved(before, row) || hasLeftTable(before, row))) {
      rows.push({ row: { ...toTombstone(before), version }, group })
    }
    rows.push({ row, group })
    if (isMissingRoot(before) && group.some(isCreateOfSdk)) roots.push({ row, group })
  }
  if (roots.length > 0) await moveBelowRoots(deps, block, roots)
  await insertMerged(deps, rows, { problems, slices })
}

const isMissingRoot = (run: StoredRun | undefined) =>
  run !== undefined && run.id === run.trace_id && run.name === MISSING_ROOT && !run.patched.includes('post')

const isCreateOfSdk = ({ write }: PendingWrite) => isCreate(write) && write.span === undefined

/**
 * Moves the stored runs below roots of SDKs that replace a placeholder. Before the roots are stored: repeated after a crash, it
 * still finds the placeholder.
 */
async function moveBelowRoots(deps: WriteDeps, block: Block, roots: readonly MergedRow[]): Promise<void> {
  const { placeBelowRoots } = await import('./otlp/tree/moved-runs.ts')
  const placed = roots.flatMap(
    ({ row: { id, parent_run_id: parentRunId, dotted_order: dottedOrder }, group: [first] }) =>
      first === undefined ? [] : [{ source: first.source, run: { id, parentRunId, dottedOrder } }],
  )
  await storeMoved(deps, { ...block, renamed: undefined }, await placeBelowRoots(deps, block.tenantId, placed))
}

/**
 * Stores new costs of runs, after the other writes of their block: a run that these changed has another version. A run that
 * is deleted, or was never stored, stays so.
 */
async function storeCosts(deps: WriteDeps, { tenantId, pending, problems }: Block): Promise<void> {
  const ids = pending.map(({ write }) => write.id)
  const { stored } = await readStoredRuns(deps, tenantId, ids)
  const rows: MergedRow[] = []
  for (const [id, group] of groupById(pending)) {
    const before = stored.get(id)
    const row =
      before &&
      applyCosts(
        before,
        group.flatMap(({ write }) => write.costs ?? []),
      )
    if (row !== undefined) rows.push({ row: { ...row, version: deps.versions.after(row.version) + 1 }, group })
  }
  await insertMerged(deps, rows, { problems, slices: new TimeSlices() })
}

async function insertMerged(
  deps: WriteDeps,
  rows: readonly MergedRow[],
  { problems, slices }: Pick<Block, 'problems'> & { readonly slices: TimeSlices },
): Promise<void> {
  const printed = await printRows(rows, slices)
  const failures = await insertRows(deps.analytics, 'runs', printed)
  for (const inserted of printed) {
    const failure = failures.get(inserted)
    if (failure !== undefined) for (const { source } of inserted.group) problems.set(source, failure)
    else if (inserted.key.is_deleted === 0) deps.recent.keep(inserted.key)
  }
}

/** A row to insert, with the writes that it was made from. */
interface MergedRow {
  readonly row: StoredRun
  readonly group: readonly PendingWrite[]
}

/** Stored runs under their new ids, and the rows that delete them under the old ones. */
function renameStored(deps: WriteDeps, { stored, deleted }: StoredRuns, renamed: Block['renamed'] = new Map()) {
  if (renamed.size === 0) return { stored, deleted, left: [] }
  const [under, closed] = [new Map(stored), new Map(deleted)]
  const left: MergedRow[] = []
  for (const [from, to] of renamed) {
    const row = stored.get(from)
    if (row === undefined) continue
    const version = deps.versions.after(row.version)
    left.push({ row: { ...toTombstone(row), version }, group: [] })
    under.delete(from)
    const other = under.get(to)
    under.set(to, other === undefined ? { ...row, id: to } : joinRuns(other, row))
    closed.set(from, version)
  }
  return { stored: under, deleted: closed, left }
}

/** A stored run with what log records set in another one, which is part of it. */
function joinRuns(run: StoredRun, { inputs, outputs, error, patched }: StoredRun): StoredRun {
  return {
    ...run,
    inputs: inputs || run.inputs,
    outputs: outputs || run.outputs,
    error: error || run.error,
    patched: [...new Set([...run.patched, ...patched])],
  }
}

/** Merges the writes of one run. If our own code fails on a run, the other runs of the block are still stored. */
function mergeSafely(
  deps: WriteDeps,
  before: StoredRun | undefined,
  group: WritesOfRun,
  context: MergeContext,
): StoredRun | undefined {
  const [first, ...rest] = group
  try {
    return mergeRun(before, [first.write, ...rest.map(({ write }) => write)], context)
  } catch (error) {
    deps.log.error({ err: error, run: first.write.id }, 'a run could not be merged')
    return undefined
  }
}

async function printRows(rows: readonly MergedRow[], slices: TimeSlices) {
  const printed: { readonly json: string; readonly key: StoredRun; readonly group: MergedRow['group'] }[] = []
  for (const { row, group } of rows) {
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    printed.push({ json: JSON.stringify(row), key: row, group })
  }
  if (slices.isUsedUp()) await slices.yieldToEventLoop()
  return printed
}

/** End of the problem of an update that came after the deletion of its run. */
export const WAS_DELETED = 'was deleted; an update does not bring it back'

/** Removes the updates of deleted runs; a create deliberately restores such a run, also as a placeholder. */
function refuseDeleted(
  pending: readonly PendingWrite[],
  deleted: ReadonlyMap<string, number>,
  problems: Map<RunWrite, string>,
): readonly PendingWrite[] {
  if (deleted.size === 0) return pending
  const restores = ({ write: { kind, isPlaceholder } }: PendingWrite) => kind === 'post' || isPlaceholder === true
  const created = new Set(pending.filter(restores).map(({ write }) => write.id))
  return pending.filter(({ source, write: { id } }) => {
    if (!deleted.has(id) || created.has(id)) return true
    problems.set(source, `run ${id} ${WAS_DELETED}`)
    return false
  })
}

type WritesOfRun = [PendingWrite, ...PendingWrite[]]

function groupById(pending: readonly PendingWrite[]): Map<string, WritesOfRun> {
  const groups = new Map<string, WritesOfRun>()
  for (const one of pending) {
    const group = groups.get(one.write.id)
    if (group === undefined) groups.set(one.write.id, [one])
    else group.push(one)
  }
  return groups
}

/**
 * Whether the two rows have different sort keys in any of the tables, so that the newer would not replace the older.
 */
function hasMoved(before: StoredRun, after: StoredRun): boolean {
  return (
    before.session_id !== after.session_id ||
    before.start_time !== after.start_time ||
    before.trace_id !== after.trace_id
  )
}

/** Whether the run was in a table that contains only some runs, and no longer belongs there. */
function hasLeftTable(before: StoredRun, after: StoredRun): boolean {
  return (isRoot(before) && !isRoot(after)) || (hasUsage(before) && !hasUsage(after))
}

const isRoot = (row: StoredRun) => row.parent_run_id === null

/** Tokens and costs come from one report: a run has all of them or none. */
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

/** A row that deletes another row at its old key; it needs no payloads. */
function toTombstone(row: StoredRun): StoredRun {
  return {
    ...row,
    inputs: '',
    outputs: '',
    extra: '',
    events: '',
    serialized: '',
    error: '',
    error_line: '',
    is_deleted: 1,
  }
}

/**
 * Appends rows as one block. If the engine cannot read a row, the block is halved until the row is found; the other rows
 * are stored.
 *
 * @returns the rows that the engine refused
 * @throws StoreFailure when the engine itself failed, e.g. on a full disk; then no row of the block is promised
 */
export async function insertRows<Row extends InsertRow>(
  analytics: Analytics,
  table: string,
  rows: readonly Row[],
): Promise<Problems<Row>> {
  try {
    await analytics.insert(table, rows)
    return new Map()
  } catch (error) {
    if (!(error instanceof StoreFailure && error.kind === 'row')) throw error
    if (rows.length <= 1) return new Map(rows.map((row) => [row, `the column store cannot hold it: ${error.message}`]))
    const middle = rows.length >> 1
    const first = await insertRows(analytics, table, rows.slice(0, middle))
    return new Map([...first, ...(await insertRows(analytics, table, rows.slice(middle)))])
  }
}

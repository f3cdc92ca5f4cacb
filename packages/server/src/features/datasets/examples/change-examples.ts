import { setImmediate } from 'node:timers/promises'
import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import { keepStatistics } from '../../../storage/relational/store-memory.ts'
import { mapInSlices } from '../../../time-slices.ts'
import { advanceVersion, type DatasetRow, lockDataset, nextVersion } from '../index.ts'
import { openPreparer, type Prepare } from '../schemas/index.ts'
import {
  type CreateExample,
  type DeleteExample,
  type ExampleChange,
  newContent,
  type RestoreExample,
  restoredContent,
  type UpdateExample,
  updatedContent,
} from './example-content.ts'
import { ExampleProblems } from './problems.ts'
import { selectDatasetIds } from './select-examples.ts'
import {
  endStates,
  insertStates,
  type NewState,
  type StateKey,
  type StoredState,
  selectNewestIds,
  selectNewestStates,
  selectStatesAt,
  takeIds,
} from './write-states.ts'

export type WriteDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** The result of a request for one dataset. */
export interface ExamplesChange {
  /** The new version; the newest one when nothing changed. */
  readonly asOf: Date
  /** Ids of the examples, in the order of the changes. */
  readonly ids: readonly string[]
}

/**
 * Changes examples; every write of examples uses it. Applies all changes or none, in one version, one request of a
 * dataset at a time. Takes part in the transaction of `relational`.
 *
 * @throws ApiError with every example that cannot be stored, and the reason
 */
export async function changeExamples(
  deps: WriteDeps,
  tenantId: string,
  dataset: Pick<DatasetRow, 'id'>,
  changes: readonly ExampleChange[],
): Promise<ExamplesChange> {
  const [changed] = (await changeExamplesAcross(deps, tenantId, new Map([[dataset.id, changes]]))).values()
  if (changed === undefined) throw new Error('The change of a dataset has no result.')
  return changed
}

/** Changes examples of several datasets: one version in each, all or none. */
export async function changeExamplesAcross(
  deps: WriteDeps,
  tenantId: string,
  changes: ReadonlyMap<string, readonly ExampleChange[]>,
): Promise<Map<string, ExamplesChange>> {
  const problems = new ExampleProblems()
  const changed = await deps.relational.transaction(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    const changed = new Map<string, ExamplesChange>()
    // Always in the same order, because two requests that wait for each other's dataset would wait forever.
    for (const [datasetId, given] of [...changes].sort(([one], [other]) => (one < other ? -1 : 1))) {
      changed.set(datasetId, await changeDataset(inside, tenantId, datasetId, given, problems))
    }
    problems.throwIfAny()
    return changed
  })
  const rows = [...changes.values()].reduce((sum, { length }) => sum + length, 0)
  await keepStatistics(deps.relational, ['example_states', 'examples', 'dataset_versions'], rows)
  return changed
}

/** Rows, and characters of JSON, per batch. */
const BATCH_ROWS = 2_000
const BATCH_CHARACTERS = 2_000_000

async function changeDataset(
  deps: WriteDeps,
  tenantId: string,
  datasetId: string,
  given: readonly ExampleChange[],
  problems: ExampleProblems,
): Promise<ExamplesChange> {
  const dataset = await lockDataset(deps, tenantId, datasetId)
  const version = nextVersion(deps, dataset)
  if (given.length === 0) return { asOf: dataset.latest_version ?? version, ids: [] }
  const changes = await withIds(deps, given)
  addRepeated(changes, problems)
  const work: Work = {
    deps,
    at: { tenantId, datasetId, version },
    prepare: openPreparer(dataset),
    prepareRestored: openPreparer({ ...dataset, transformations: null }),
    problems,
    added: 0,
    lastNumber: dataset.last_number,
  }
  for (const batch of toBatches(changes)) {
    await setImmediate() // the embedded store answers without a pause, so this lets other requests run
    await changeBatch(work, batch)
  }
  problems.throwIfAny()
  await advanceVersion(deps.relational.db, dataset, { version, added: work.added, lastNumber: work.lastNumber })
  return { asOf: version, ids: changes.map(({ id }) => id) }
}

interface Work {
  readonly deps: WriteDeps
  readonly at: StateKey
  readonly prepare: Prepare
  readonly prepareRestored: Prepare
  readonly problems: ExampleProblems
  added: number
  lastNumber: number
}

type Create = CreateExample & { readonly id: string }
type Change = Create | UpdateExample | DeleteExample | RestoreExample

async function changeBatch(work: Work, batch: readonly Change[]): Promise<void> {
  const { deps, at, problems } = work
  const tx = deps.relational.db
  const idsOf = (needs: (change: Change) => boolean) => batch.filter(needs).map(({ id }) => id)
  const isEnded = (change: Change) => change.do === 'delete' || change.do === 'restore'
  const before = await selectNewestStates(
    tx,
    at,
    idsOf((change) => (change.do === 'create' ? change.replaces === true : !isEnded(change))),
  )
  const existing = new Set([...before.keys(), ...(await selectNewestIds(tx, at, idsOf(isEnded)))])
  await addUnknown(work, batch, existing)

  const states = await restoreStates(work, batch)
  const restored = new Set(states.map(({ id }) => id))
  const isNew = (change: Change) => change.do === 'create' && !before.has(change.id)
  for (const change of batch) {
    if (change.do === 'delete') work.added -= 1
    else if (change.do === 'restore') continue
    else if (isNew(change)) states.push(newState(work, change as Create))
    else {
      const state = before.get(change.id)
      if (state !== undefined && change.do === 'update') addOvertaken(state, change, problems)
      if (state !== undefined) states.push({ ...state, content: nextContent(work, state, change) })
    }
  }
  const added = states.filter(({ id }) => !existing.has(id))
  work.added += added.length
  const created = added.filter(({ id }) => !restored.has(id))
  if (created.length > 0) await takeFreeIds(work, created)
  if (!problems.isEmpty) return
  await endStates(tx, at, [...existing])
  if (states.length > 0) await insertStates(deps.relational, at, states)
}

/** The states of the older versions that the batch restores. Examples that were erased since are left out. */
async function restoreStates(work: Work, batch: readonly Change[]): Promise<NewState[]> {
  const idsByVersion = new Map<number, string[]>()
  for (const change of batch) {
    if (change.do !== 'restore') continue
    const time = change.version.getTime()
    const ids = idsByVersion.get(time)
    if (ids === undefined) idsByVersion.set(time, [change.id])
    else ids.push(change.id)
  }
  const states: NewState[] = []
  for (const [time, ids] of idsByVersion) {
    const old = await selectStatesAt(work.deps.relational.db, { ...work.at, version: new Date(time) }, ids)
    const checks = { ...work, prepare: work.prepareRestored }
    for (const state of old.values()) {
      states.push({ ...state, content: restoredContent(state.id, state.content, checks) })
    }
  }
  return states
}

function newState(work: Work, change: Create): NewState {
  work.lastNumber += 1
  return {
    id: change.id,
    number: work.lastNumber,
    created_at: change.createdAt ?? timeOfEpochMs(work.at.version.getTime()),
    content: newContent(change.id, change, work),
  }
}

/** The dataset is locked, so that the version of an example cannot change before this one is written. */
function addOvertaken({ as_of }: StoredState, { id, expected }: UpdateExample, problems: ExampleProblems): void {
  if (expected == null || Date.parse(expected) === as_of.getTime()) return
  problems.add('CONFLICT', [id], 'it was changed since you read it; read it again')
}

/** A replacement keeps only the id, the number and the creation time. */
function nextContent(work: Work, { content }: NewState, change: Create | UpdateExample) {
  return change.do === 'create' ? newContent(change.id, change, work) : updatedContent(content, change, work)
}

async function takeFreeIds({ deps, at, problems }: Work, created: readonly NewState[]): Promise<void> {
  const free = await takeIds(deps.relational.db, at, created)
  for (const { id } of created) {
    if (!free.has(id)) problems.add('CONFLICT', [id], 'an example of this id already exists, or did')
  }
}

async function addUnknown(
  { deps, at, problems }: Work,
  batch: readonly Change[],
  existing: ReadonlySet<string>,
): Promise<void> {
  const needsState = (change: Change) => change.do === 'update' || change.do === 'delete'
  const unknown = batch.filter((change) => needsState(change) && !existing.has(change.id)).map(({ id }) => id)
  if (unknown.length === 0) return
  const datasetIds = await selectDatasetIds(deps.relational.db, at.tenantId, unknown)
  for (const id of unknown) {
    const datasetId = datasetIds.get(id)
    if (datasetId !== undefined && datasetId !== at.datasetId)
      problems.add('CONFLICT', [id], 'belongs to another dataset')
    else problems.add('NOT_FOUND', [id], 'Example not found')
  }
}

function withIds({ ids }: WriteDeps, changes: readonly ExampleChange[]): Promise<Change[]> {
  return mapInSlices(changes, (change) => (change.do === 'create' ? { ...change, id: change.id ?? ids() } : change))
}

function addRepeated(changes: readonly Change[], problems: ExampleProblems): void {
  const seen = new Set<string>()
  for (const { id, do: kind } of changes) {
    if (seen.has(id))
      problems.add(kind === 'create' ? 'CONFLICT' : 'INVALID_REQUEST', [id], 'occurs twice in the request')
    seen.add(id)
  }
}

function* toBatches(changes: readonly Change[]): Generator<Change[]> {
  let batch: Change[] = []
  let characters = 0
  for (const change of changes) {
    const size = sizeOf(change)
    if (batch.length > 0 && (batch.length >= BATCH_ROWS || characters + size > BATCH_CHARACTERS)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(change)
    characters += size
  }
  if (batch.length > 0) yield batch
}

function sizeOf(change: Change): number {
  if (change.do === 'delete') return 0
  if (change.do === 'restore') return change.bytes
  return (change.inputs?.length ?? 0) + (change.outputs?.length ?? 0)
}

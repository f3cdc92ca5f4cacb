import { type ModelPrice, type RunType, toErrorLine } from '@touchstone/contract'
import { mergeExtra } from '@touchstone/formats/cut-json'
import { columnTime, printedTime } from '../storage/analytics/sql.ts'
import { deriveColumns } from './derive-columns.ts'
import { toPathSegment } from './run-path.ts'
import { PAYLOAD_FIELDS, RawPayload, type RunWrite } from './run-write.ts'
import type { StoredRun } from './stored-runs.ts'

/** The name of a run that came without one. */
export const UNNAMED_RUN = 'Unnamed run'

/** The name of the run that stands for the root of a trace until it arrives. */
export const MISSING_ROOT = 'Root not received'

export interface MergeContext {
  readonly tenantId: string
  /** Receipt time of writes that have none, in the contract's printed form. */
  readonly now: string
  /** Larger than every earlier version. */
  readonly version: number
  readonly findPrice: FindPrice
  /** The metadata keys that identify the threads of a project. */
  readonly findThreadKeys: (sessionId: string) => readonly string[]
}

export type FindPrice = (run: {
  /** Null finds built-in prices only. */
  readonly tenantId: string | null
  readonly model: string
  readonly provider: string | undefined
  readonly startTime: string
}) => ModelPrice | undefined

/**
 * Merges writes, in the order of their arrival, onto the stored row of the run. The last value that is not null
 * replaces the earlier one as a whole; a value of an update beats a value of a create, even of a later create; `extra`
 * merges at its top level and in `metadata`. The first create decides the project.
 */
export function mergeRun(
  stored: StoredRun | undefined,
  writes: readonly [RunWrite, ...RunWrite[]],
  context: MergeContext,
): StoredRun {
  const draft = stored === undefined ? emptyDraft() : toDraft(stored)
  for (const write of writes) apply(draft, write)
  return finish(draft, stored, writes[0], context)
}

/** A run during the merge. */
export interface Draft {
  sessionId?: string | undefined
  traceId?: string | undefined
  parentRunId?: string | null | undefined
  dottedOrder?: string | undefined
  name?: string | undefined
  runType?: RunType | undefined
  startTime?: string | undefined
  endTime?: string | undefined
  error?: string | undefined
  interrupted?: boolean | undefined
  referenceExampleId?: string | undefined
  tags?: readonly string[] | undefined
  inputs?: RawPayload | undefined
  outputs?: RawPayload | undefined
  extra?: RawPayload | undefined
  events?: RawPayload | undefined
  serialized?: RawPayload | undefined
  readonly patched: Set<string>
}

const LAST_WINS = [
  'traceId',
  'parentRunId',
  'dottedOrder',
  'name',
  'runType',
  'startTime',
  'endTime',
  'error',
  'interrupted',
  'referenceExampleId',
  'tags',
  'inputs',
  'outputs',
  'events',
  'serialized',
] as const satisfies readonly (keyof Draft & keyof RunWrite)[]

function apply(draft: Draft, write: RunWrite): void {
  const isCreated = draft.patched.has('post')
  if (write.isPlaceholder === true && isCreated) return
  if (!isCreated && (isCreate(write) || write.isPlaceholder === true)) removeDefaults(draft)
  const values: Partial<Record<(typeof LAST_WINS)[number], unknown>> = {}
  for (const field of LAST_WINS) {
    const value = write[field]
    if (value === undefined) continue
    if (!isUpdate(write) && draft.patched.has(field)) continue
    values[field] = value
    if (isUpdate(write)) draft.patched.add(field)
  }
  Object.assign(draft, values)
  applyExtra(draft, write)
  applyProject(draft, write)
  if (isCreate(write)) draft.patched.add('post')
}

function applyExtra(draft: Draft, write: RunWrite): void {
  const isSet = draft.patched.has('extra')
  if (write.extra === undefined || (write.isPlaceholder === true && isSet)) return
  const updateWins = write.kind === 'post' && isSet
  // What a placeholder set would stay for good when an update is merged onto it.
  const before = isSet || draft.patched.has('post') || !isUpdate(write) ? draft.extra : undefined
  draft.extra = updateWins ? mergePayloads(write.extra, before) : mergePayloads(before, write.extra)
  if (isUpdate(write)) draft.patched.add('extra')
}

function applyProject(draft: Draft, write: RunWrite): void {
  if (write.sessionId === undefined) return
  const { patched } = draft
  const firstCreate = isCreate(write) && !patched.has('post')
  const isDefault = draft.sessionId === undefined || !(patched.has('post') || patched.has('sessionId'))
  if (isDefault || firstCreate) draft.sessionId = write.sessionId
  if (isUpdate(write)) patched.add('sessionId')
}

/**
 * Before its create, every field of a run that no update set is a default or comes from a placeholder. The create, or the next
 * placeholder, does not keep it.
 */
function removeDefaults(draft: Draft): void {
  for (const field of ['sessionId', 'extra', ...LAST_WINS] as const) if (!draft.patched.has(field)) delete draft[field]
}

/** What a placeholder sets does not count as set. */
const isUpdate = ({ kind, isPlaceholder }: RunWrite) => kind === 'patch' && isPlaceholder !== true

export const isCreate = ({ kind, isMove }: RunWrite) => kind === 'post' && isMove !== true

function mergePayloads(base: RawPayload | undefined, over: RawPayload | undefined): RawPayload | undefined {
  if (over === undefined) return base
  return base === undefined || base.text === over.text ? over : RawPayload.trusted(mergeExtra(base.text, over.text))
}

function emptyDraft(): Draft {
  return { patched: new Set() }
}

function toDraft(stored: StoredRun): Draft {
  const draft: Draft = {
    sessionId: stored.session_id,
    traceId: stored.trace_id,
    parentRunId: stored.parent_run_id ?? undefined,
    dottedOrder: stored.dotted_order,
    name: stored.name,
    runType: stored.run_type as RunType,
    startTime: printedTime(stored.start_time),
    endTime: stored.end_time === null ? undefined : printedTime(stored.end_time),
    error: stored.error || undefined,
    interrupted: stored.status === 'interrupted' || undefined,
    referenceExampleId: stored.reference_example_id ?? undefined,
    tags: stored.tags,
    patched: new Set(stored.patched),
  }
  for (const field of PAYLOAD_FIELDS) {
    if (stored[field] !== '') draft[field] = RawPayload.trusted(stored[field])
  }
  return draft
}

function finish(
  draft: Draft,
  stored: StoredRun | undefined,
  { id, receivedAt, defaultSessionId }: RunWrite,
  context: MergeContext,
): StoredRun {
  const now = receivedAt ?? context.now
  const startTime = draft.startTime ?? now
  const traceId = draft.traceId ?? id
  const sessionId = draft.sessionId ?? defaultSessionId
  if (sessionId === undefined) throw new TypeError('the project of the run was not found before it was written')
  const { tenantId, findPrice } = context
  return {
    tenant_id: tenantId,
    session_id: sessionId,
    start_time: columnTime(startTime),
    id,
    trace_id: traceId,
    parent_run_id: draft.parentRunId ?? null,
    dotted_order: draft.dottedOrder ?? toPathSegment(startTime, id),
    name: draft.name ?? UNNAMED_RUN,
    run_type: draft.runType ?? 'chain',
    status: deriveStatus(draft),
    end_time: draft.endTime === undefined ? null : columnTime(draft.endTime),
    error: draft.error ?? '',
    error_line: toErrorLine(draft.error ?? ''),
    inputs: draft.inputs?.text ?? '',
    outputs: draft.outputs?.text ?? '',
    extra: draft.extra?.text ?? '',
    events: draft.events?.text ?? '',
    serialized: draft.serialized?.text ?? '',
    tags: draft.tags ?? [],
    reference_example_id: draft.referenceExampleId ?? null,
    ...deriveColumns(draft, stored, { tenantId, startTime, findPrice, threadKeys: context.findThreadKeys(sessionId) }),
    patched: [...draft.patched],
    received_at: stored?.received_at ?? columnTime(now),
    arrival: stored?.arrival ?? context.version,
    version: context.version,
    is_deleted: 0,
  }
}

function deriveStatus(draft: Draft): string {
  if (draft.error !== undefined) return 'error'
  if (draft.interrupted) return 'interrupted'
  return draft.endTime === undefined ? 'pending' : 'success'
}

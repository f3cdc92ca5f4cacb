import { parseAgentAddress, parseTime, parseUuid, RUN_TYPES, type RunType, toStorable } from '@touchstone/contract'
import { isArrayText, isObjectText, splitMembers } from '@touchstone/formats/cut-json'
import { printObject } from '@touchstone/formats/write-object'
import { type OpenedRun, openRun, type RawRun, type ReadField, type RunFields } from './open-run.ts'
import { parseDottedOrder } from './run-path.ts'
import { BadRun, PAYLOAD_FIELDS, RawPayload, type RunWrite } from './run-write.ts'

/**
 * Validates one run and converts it into our forms.
 *
 * @param newId  returns the id of a run that came without one
 * @param opened  the opened run, if it is too large to be read without a pause
 * @throws BadRun with a message that names the field
 */
export function normalizeRun(raw: RawRun, newId: () => string, opened: OpenedRun = openRun(raw)): RunWrite {
  const { fields: main, payloads } = opened
  const id = readId(raw, main, newId)
  const runType = readRunType(main.run_type)
  const dottedOrder = text(main, 'dotted_order')
  const path = dottedOrder === undefined ? undefined : readPath(dottedOrder, id)
  const traceId = uuid(main, 'trace_id') ?? path?.ids[0]
  const parentRunId = uuid(main, 'parent_run_id') ?? path?.ids.at(-2)
  if (path !== undefined) checkPath(path.ids, traceId, parentRunId)
  return {
    kind: raw.kind,
    id,
    traceId,
    parentRunId: parentRunId === id ? undefined : parentRunId,
    dottedOrder,
    ...readDestination(raw.kind, main),
    name: text(main, 'name')?.toWellFormed(),
    runType: runType.known,
    startTime: time(main, 'start_time') ?? path?.startTime,
    endTime: time(main, 'end_time'),
    error: readError(opened.error)?.toWellFormed(),
    interrupted: main.status === 'interrupted' || undefined,
    referenceExampleId: uuid(main, 'reference_example_id'),
    tags: readTags(main.tags),
    inputs: wrapped(payloads.inputs, 'input'),
    outputs: wrapped(payloads.outputs, 'output'),
    extra: withMetadata(object(payloads.extra, 'extra'), {
      ls_original_run_type: runType.original,
      session_id: findThreadName(main),
    }),
    events: list(payloads.events, 'events'),
    serialized: object(payloads.serialized, 'serialized'),
    bytes: raw.main.length + PAYLOAD_FIELDS.reduce((sum, field) => sum + (payloads[field]?.text.length ?? 0), 0),
  }
}

function readId(raw: RawRun, main: RunFields, newId: () => string): string {
  const given = raw.id ?? main.id
  if (given === undefined || given === null) return newId()
  const id = parseUuid(given)
  if (id === undefined) throw new BadRun(`id ${quote(given, 'id')} is not a valid uuid`)
  return id
}

/**
 * The project that the run names: by id, by name or by the address of an agent.
 *
 * @throws BadRun for an address that is not one, and for a create that names both an address and a session. An update that
 *   names both moves nothing.
 */
function readDestination(
  kind: RunWrite['kind'],
  main: RunFields,
): Pick<RunWrite, 'sessionId' | 'sessionName' | 'address'> {
  const sessionId = findThreadName(main) === undefined ? uuid(main, 'session_id') : undefined
  const namedSession = text(main, 'session_name')
  const sessionName = namedSession === undefined ? undefined : toStorable(namedSession)
  const written = text(main, 'address')
  if (written === undefined) return { sessionId, sessionName }
  const address = parseAgentAddress(written)
  if (address === undefined) {
    throw new BadRun(`address ${quote(written, 'address')} is not lrn:agents/{id}/environments/{environment}`)
  }
  if (sessionId === undefined && sessionName === undefined) return { address }
  if (kind === 'patch') return {}
  throw new BadRun('address cannot be combined with session_id or session_name; send one of them')
}

/**
 * A `session_id` that is a name instead of an id. Callbacks that know only threads send the thread of the program there (LiteLLM);
 * it names no project.
 */
export function findThreadName({ session_id: value }: RunFields): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && parseUuid(value) === undefined ? value : undefined
}

function readRunType(value: unknown): { known?: RunType; original?: string } {
  if (value === undefined || value === null) return {}
  const original = typeof value === 'string' ? value : printed(value, 'run_type')
  const known = RUN_TYPES.find((type) => type === original.toLowerCase())
  return known === undefined ? { known: 'chain', original } : { known }
}

function readPath(dottedOrder: string, id: string) {
  const path = parseDottedOrder(dottedOrder)
  if (path === undefined)
    throw new BadRun(`dotted_order ${quote(dottedOrder, 'dotted_order')} is not a list of {time}Z{uuid} segments`)
  if (path.ids.at(-1) !== id)
    throw new BadRun(`the last id of dotted_order ${quote(dottedOrder, 'dotted_order')} is not the run's id`)
  return path
}

function checkPath(ids: readonly string[], traceId: string | undefined, parentRunId: string | undefined): void {
  if (ids[0] !== traceId) throw new BadRun(`the first id of dotted_order is not the trace_id ${traceId}`)
  if (ids.length > 1 && parentRunId !== ids.at(-2)) {
    throw new BadRun(`the second last id of dotted_order is not the parent_run_id ${parentRunId}`)
  }
  if (ids.length === 1 && parentRunId !== undefined) {
    throw new BadRun('dotted_order has one segment, which makes a root, but parent_run_id is set')
  }
}

function readError(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  return typeof value === 'string' ? value : printed(value, 'error')
}

function text(main: RunFields, field: ReadField): string | undefined {
  const value = main[field]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw new BadRun(`${field} is not a string`)
  return value
}

function uuid(main: RunFields, field: ReadField): string | undefined {
  const value = main[field]
  if (value === undefined || value === null) return undefined
  const id = parseUuid(value)
  if (id === undefined) throw new BadRun(`${field} ${quote(value, field)} is not a valid uuid`)
  return id
}

/** The range of times of the column store, with microseconds; a time outside of it is invalid. */
const EARLIEST = '1900-01-01'
const LATEST = '2299-12-31'

function time(main: RunFields, field: ReadField): string | undefined {
  const value = main[field]
  if (value === undefined || value === null) return undefined
  const parsed = parseTime(value)
  if (parsed === undefined)
    throw new BadRun(`${field} ${quote(value, field)} is not an ISO 8601 time or epoch milliseconds`)
  if (parsed < EARLIEST || parsed >= LATEST) {
    throw new BadRun(`${field} ${quote(value, field)} is outside the years 1900 to 2299`)
  }
  return parsed
}

function readTags(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw new BadRun('tags is not a list')
  return value.map((tag) => (typeof tag === 'string' ? tag : printed(tag, 'tags')).toWellFormed())
}

/** Clients always send objects; any other value is stored under one key. */
function wrapped(payload: RawPayload | undefined, key: string): RawPayload | undefined {
  if (payload === undefined || isObjectText(payload.text)) return payload
  return RawPayload.of(`{${JSON.stringify(key)}:${payload.text}}`, { [key]: payload.value })
}

function object(payload: RawPayload | undefined, field: string): RawPayload | undefined {
  if (payload === undefined || isObjectText(payload.text)) return payload
  throw new BadRun(`${field} is not an object`)
}

function list(payload: RawPayload | undefined, field: string): RawPayload | undefined {
  if (payload === undefined || isArrayText(payload.text)) return payload
  throw new BadRun(`${field} is not a list`)
}

/** An unknown type is stored as a chain, and a name instead of an id of a project is a thread: both are kept in the metadata. */
function withMetadata(
  extra: RawPayload | undefined,
  {
    ls_original_run_type: type,
    session_id: thread,
  }: { ls_original_run_type?: string | undefined; session_id?: string | undefined },
): RawPayload | undefined {
  if (type === undefined && thread === undefined) return extra
  const members = splitMembers(extra?.text ?? '{}')
  const metadata = members.get('metadata')
  const inner = metadata !== undefined && isObjectText(metadata) ? splitMembers(metadata) : new Map<string, string>()
  if (type !== undefined) inner.set('ls_original_run_type', JSON.stringify(type))
  if (thread !== undefined && !inner.has('session_id')) inner.set('session_id', JSON.stringify(thread))
  members.set('metadata', printObject(inner))
  return RawPayload.trusted(printObject(members))
}

function quote(value: unknown, field: string): string {
  const text = printed(value, field)
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}

/** @throws BadRun when the value is nested so deeply that it cannot be printed */
function printed(value: unknown, field: string): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch (error) {
    if (error instanceof RangeError) throw new BadRun(`${field} is nested too deeply`)
    throw error
  }
}

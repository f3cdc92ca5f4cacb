import type { Attachments, BaseRun } from '../../schemas.ts'
import { plainCopy, serialise } from '../serialise.ts'
import { type Bytes, textBytes } from '../text-bytes.ts'

/** The members of a run that travel as parts of their own. */
export const FIELD_NAMES = ['inputs', 'outputs', 'events', 'extra', 'error', 'serialized'] as const
export type FieldName = (typeof FIELD_NAMES)[number]

export interface Attachment {
  mime: string
  data: Bytes
}

/**
 * One create or update waiting to be sent. It holds bytes, not the user's objects: what the caller changes afterwards is
 * not recorded, and what the caller lets go is collected.
 */
export interface Operation {
  kind: 'post' | 'patch'
  id: string
  /** Everything small: ids, names, times, tags. */
  main: Record<string, unknown>
  fields: Map<FieldName, Bytes>
  attachments: Map<string, Attachment>
  bytes: number
  /** False for ids that a strict server refuses together with everything else in the request. */
  wellFormed: boolean
  /** Called once, when it was delivered or given up. */
  settled: (() => void)[]
}

/** A generous estimate of what `main` and the part headers take on the wire. */
const MAIN_BYTES = 1024

export function toOperation(kind: 'post' | 'patch', id: string, run: BaseRun): Operation {
  const main: Record<string, unknown> = {}
  const fields = new Map<FieldName, Bytes>()
  for (const key of Object.keys(run)) {
    const value: unknown = run[key as keyof BaseRun]
    if (value === undefined || NOT_SENT.has(key)) continue
    if (isField(key)) fields.set(key, textBytes(serialise(key === 'events' ? withoutTokens(value) : value)))
    else main[key] = typeof value === 'object' ? smallCopy(value) : value
  }
  main.id = id
  const attachments = toAttachments(run.attachments)
  const wellFormed = isWellFormed(id, run)
  const operation = { kind, id, main, fields, attachments, bytes: 0, wellFormed, settled: [] }
  return weigh(operation)
}

/** A list of texts, as tags are, needs no detour. */
function smallCopy(value: unknown): unknown {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.slice() : plainCopy(value)
}

const NOT_SENT = new Set(['attachments', 'child_runs', 'project_name'])

function isField(key: string): key is FieldName {
  return (FIELD_NAMES as readonly string[]).includes(key)
}

/** Sets `bytes` from the content. */
export function weigh(operation: Operation): Operation {
  let bytes = MAIN_BYTES
  for (const field of operation.fields.values()) bytes += field.length
  for (const { data } of operation.attachments.values()) bytes += data.length
  operation.bytes = bytes
  return operation
}

/** Token texts stay out of the events: they are in the outputs already. */
function withoutTokens(events: unknown): unknown {
  if (!Array.isArray(events)) return events
  return events.map((event) => (event?.name === 'new_token' && event.kwargs ? { ...event, kwargs: {} } : event))
}

function toAttachments(attachments: Attachments = {}): Map<string, Attachment> {
  const found = new Map<string, Attachment>()
  for (const [name, value] of Object.entries(attachments)) {
    const [mime, data] = Array.isArray(value) ? value : [value.mimeType, value.data]
    found.set(name, { mime, data: toBytes(data) })
  }
  return found
}

function toBytes(data: Uint8Array | ArrayBuffer): Bytes {
  return (data instanceof Uint8Array ? data : new Uint8Array(data)) as Bytes
}

/** The rules a server checks: the last id of the path is the run's, the first the trace's, and only a root has one segment. */
function isWellFormed(id: string, { dotted_order, trace_id, parent_run_id }: BaseRun): boolean {
  const segments = (dotted_order ?? '').split('.')
  const isRoot = segments.length === 1
  return (
    segments.at(-1)!.slice(-36) === id &&
    segments[0]!.slice(-36) === trace_id &&
    isRoot === !parent_run_id &&
    (isRoot || segments.at(-2)!.slice(-36) === parent_run_id)
  )
}

import type { Attachments, BaseRun } from '../../schemas.ts'
import { serialize, toPlainCopy } from '../serialize.ts'
import { type Bytes, encodeText } from '../text-bytes.ts'

/** Members of a run that are sent as separate parts. */
export const FIELD_NAMES = ['inputs', 'outputs', 'events', 'extra', 'error', 'serialized'] as const
export type FieldName = (typeof FIELD_NAMES)[number]

export interface Attachment {
  mime: string
  data: Bytes
}

/**
 * One create or update waiting to be sent. Holds bytes instead of the user's objects: later changes by the caller are
 * not recorded, and the objects can be garbage collected.
 */
export interface Operation {
  kind: 'post' | 'patch'
  id: string
  /** All small members: ids, names, times, tags. */
  main: Record<string, unknown>
  fields: Map<FieldName, Bytes>
  attachments: Map<string, Attachment>
  bytes: number
  /** False for inconsistent ids, because of which a strict server rejects the whole request. */
  wellFormed: boolean
  /** Called once, after delivery or failure. */
  settled: (() => void)[]
}

/** Generous estimate for `main` and the part headers on the wire. */
const MAIN_BYTES = 1024

export function toOperation(kind: 'post' | 'patch', id: string, run: BaseRun): Operation {
  const main: Record<string, unknown> = {}
  const fields = new Map<FieldName, Bytes>()
  for (const key of Object.keys(run)) {
    const value: unknown = run[key as keyof BaseRun]
    if (value === undefined || NOT_SENT.has(key)) continue
    if (isField(key)) fields.set(key, encodeText(serialize(key === 'events' ? removeTokens(value) : value)))
    else main[key] = typeof value === 'object' ? copySmallValue(value) : value
  }
  main.id = id
  const attachments = toAttachments(run.attachments)
  const wellFormed = isWellFormed(id, run)
  const operation = { kind, id, main, fields, attachments, bytes: 0, wellFormed, settled: [] }
  return updateSize(operation)
}

/** Lists of texts, such as tags, are copied directly because that is faster. */
function copySmallValue(value: unknown): unknown {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.slice() : toPlainCopy(value)
}

const NOT_SENT = new Set(['attachments', 'child_runs', 'project_name'])

function isField(key: string): key is FieldName {
  return (FIELD_NAMES as readonly string[]).includes(key)
}

/** Sets `bytes` from the content. */
export function updateSize(operation: Operation): Operation {
  let bytes = MAIN_BYTES
  for (const field of operation.fields.values()) bytes += field.length
  for (const { data } of operation.attachments.values()) bytes += data.length
  operation.bytes = bytes
  return operation
}

/** Token texts are left out of the events: the outputs contain them already. */
function removeTokens(events: unknown): unknown {
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

/**
 * The server's rules: the last id of the path is the run's id, the first is the trace id, and only a root has one
 * segment.
 */
function isWellFormed(id: string, { dotted_order, trace_id, parent_run_id }: BaseRun): boolean {
  const segments = (dotted_order ?? '').split('.')
  const isRoot = segments.length === 1
  return (
    segments.at(-1)?.slice(-36) === id &&
    segments[0]?.slice(-36) === trace_id &&
    isRoot === !parent_run_id &&
    (isRoot || segments.at(-2)?.slice(-36) === parent_run_id)
  )
}

/**
 * Merges two operations on the same run. An update overrides its create, whichever came first. Of two creates or two
 * updates the later one overrides the earlier. Fields that the overriding one lacks are kept.
 */
export function mergeOperations(earlier: Operation, later: Operation): Operation {
  const reversed = earlier.kind === 'patch' && later.kind === 'post'
  const [under, over] = reversed ? [later, earlier] : [earlier, later]
  return updateSize({
    ...under,
    kind: under.kind === 'post' ? 'post' : over.kind,
    main: { ...under.main, ...over.main },
    fields: new Map([...under.fields, ...over.fields]),
    attachments: new Map([...under.attachments, ...over.attachments]),
    wellFormed: under.wellFormed && over.wellFormed,
    settled: [...earlier.settled, ...later.settled],
  })
}

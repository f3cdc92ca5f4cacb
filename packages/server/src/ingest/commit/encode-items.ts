import type { IngestItem } from '../ingest-item.ts'
import { PAYLOAD_FIELDS, type PayloadField, RawPayload, type RunWrite } from '../run-write.ts'

/** Items that are kept in the journal; feedback is stored before its request is answered. */
export type JournaledItem = Exclude<IngestItem, { readonly kind: 'feedback' }>

export const isJournaled = (item: IngestItem): item is JournaledItem => item.kind !== 'feedback'

/** Version of the form below, the first byte of every body. */
const FORM = 1

/** A run without its payloads, and the bytes that each payload takes after the head. */
interface RunHead {
  readonly kind: 'run'
  readonly tenantId: string
  readonly write: Omit<RunWrite, PayloadField>
  readonly payloads: readonly (readonly [field: PayloadField, bytes: number])[]
}

type ItemHead = RunHead | Exclude<JournaledItem, { readonly kind: 'run' }>

/**
 * Prints items as the body of one journal record: the form, the length of the head, the head as JSON, then the payloads
 * as they came. Payloads are not printed as JSON texts again, because they are most of the bytes.
 */
export function encodeItems(items: readonly JournaledItem[]): Buffer {
  const payloads: { readonly text: string; readonly bytes: number }[] = []
  const heads = items.map((item): ItemHead => {
    if (item.kind !== 'run') return item
    const { inputs, outputs, extra, events, serialized, ...write } = item.write
    const sizes: [PayloadField, number][] = []
    for (const [field, payload] of Object.entries({ inputs, outputs, extra, events, serialized })) {
      if (payload === undefined) continue
      const bytes = Buffer.byteLength(payload.text)
      sizes.push([field as PayloadField, bytes])
      payloads.push({ text: payload.text, bytes })
    }
    return { kind: 'run', tenantId: item.tenantId, write, payloads: sizes }
  })
  const head = JSON.stringify(heads)
  const headBytes = Buffer.byteLength(head)
  const body = Buffer.allocUnsafe(5 + headBytes + payloads.reduce((sum, { bytes }) => sum + bytes, 0))
  body.writeUInt8(FORM, 0)
  body.writeUInt32LE(headBytes, 1)
  let at = 5 + body.write(head, 5)
  for (const { text } of payloads) at += body.write(text, at)
  return body
}

/** @throws Error when the body has a form of a newer version of the server */
export function decodeItems(body: Buffer): JournaledItem[] {
  if (body.readUInt8(0) !== FORM) {
    throw new Error('The journal was written by a newer version of the server; start that version to apply it.')
  }
  let at = 5 + body.readUInt32LE(1)
  const heads = JSON.parse(body.toString('utf8', 5, at)) as ItemHead[]
  return heads.map((head) => {
    if (head.kind !== 'run') return head
    const payloads: Partial<Record<PayloadField, RawPayload>> = {}
    for (const [field, bytes] of head.payloads) {
      if (PAYLOAD_FIELDS.includes(field)) payloads[field] = RawPayload.trusted(body.toString('utf8', at, at + bytes))
      at += bytes
    }
    return { kind: 'run', tenantId: head.tenantId, write: { ...head.write, ...payloads } }
  })
}

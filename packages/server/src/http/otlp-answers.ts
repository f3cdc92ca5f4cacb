import type { ErrorCode } from '@touchstone/contract'

/** The encodings of OTLP; an answer has that of its request. */
export type OtlpEncoding = 'protobuf' | 'json'

/** The encoding that a content type names; `undefined` for any other. */
export function toOtlpEncoding(contentType: string | undefined): OtlpEncoding | undefined {
  const type = (contentType ?? '').toLowerCase()
  if (type.includes('protobuf') || /\+proto\s*(;|$)/.test(type)) return 'protobuf'
  return type.includes('json') ? 'json' : undefined
}

export const OTLP_MEDIA_TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' } as const

/** Codes of google.rpc.Status, which gRPC uses too. */
export const RPC_CODES: Readonly<Record<ErrorCode, number>> = {
  INVALID_REQUEST: 3,
  UNAUTHENTICATED: 16,
  FORBIDDEN: 7,
  WORKSPACE_REQUIRED: 7,
  NOT_FOUND: 5,
  METHOD_NOT_ALLOWED: 12,
  REQUEST_TIMEOUT: 4,
  CONFLICT: 6,
  PAYLOAD_TOO_LARGE: 8,
  UNSUPPORTED_MEDIA_TYPE: 3,
  UNPROCESSABLE: 9,
  RATE_LIMITED: 14,
  SPENDING_LIMIT: 8,
  INTERNAL: 13,
  NOT_IMPLEMENTED: 12,
  UNAVAILABLE: 14,
}

/** A google.rpc.Status. */
export function printStatus(encoding: OtlpEncoding, code: number, message: string): string | Buffer {
  if (encoding === 'json') return JSON.stringify({ code, message })
  return Buffer.concat([Buffer.from([0x08]), varint(code), bytesField(0x12, Buffer.from(message))])
}

/** Names in JSON of the number of items that were not stored, by signal. */
export type RejectedCount = 'rejectedSpans' | 'rejectedLogRecords' | 'rejectedDataPoints'

/** Items that were not stored, with the reason, or zero items and a warning. */
export interface PartialSuccess {
  readonly rejected: number
  readonly message: string
}

/**
 * The response to an export of any signal; without a partial success it has no fields.
 *
 * @param counted  name of the count in JSON
 */
export function printExportResponse(
  encoding: OtlpEncoding,
  { rejected, message }: PartialSuccess,
  counted: RejectedCount,
): string | Buffer {
  const isComplete = rejected === 0 && message === ''
  if (encoding === 'json') {
    const partial = { ...(rejected > 0 && { [counted]: String(rejected) }), errorMessage: message }
    return JSON.stringify(isComplete ? {} : { partialSuccess: partial })
  }
  if (isComplete) return Buffer.alloc(0)
  const count = rejected > 0 ? Buffer.concat([Buffer.from([0x08]), varint(rejected)]) : Buffer.alloc(0)
  return bytesField(0x0a, Buffer.concat([count, bytesField(0x12, Buffer.from(message))]))
}

function bytesField(tag: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (; value > 0x7f; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80)
  return Buffer.from([...bytes, value])
}
